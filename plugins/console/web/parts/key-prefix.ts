// The prefix of a key, as pages show it.

/** "tg_AbCdEfG…". An imported key may have the beginning and the end: "sk-...aB3d". */
export const keyPrefix = (prefix: string): string => (prefix.includes('...') ? prefix : `${prefix}…`)

/** The section of its limits in the catalogue. A name of TOML with dots is quoted. */
export const limitsSection = (prefix: string): string =>
  `limits.keys.${/^[A-Za-z0-9_-]+$/.test(prefix) ? prefix : JSON.stringify(prefix)}`
