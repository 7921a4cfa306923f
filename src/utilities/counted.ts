// Numbers with their noun, as sentences have them.

/** `1 file`, `12 files`. */
export const counted = (value: number, noun: string): string => `${value} ${noun}${value === 1 ? '' : 's'}`
