// The prefix of a key, as pages show it.

/** "tg_AbCdEfG…". An imported key may have the beginning and the end: "sk-...aB3d". */
export const keyPrefix = (prefix: string): string => (prefix.includes('...') ? prefix : `${prefix}…`)
