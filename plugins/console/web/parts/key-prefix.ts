// Display of a key's prefix.

/** "tg_AbCdEfG…". The prefix of an imported key may have its beginning and its end: "sk-...aB3d". */
export const keyPrefix = (prefix: string): string => (prefix.includes('...') ? prefix : `${prefix}…`)
