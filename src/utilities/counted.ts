// Numbers with their noun, as sentences have them.

/** `1 file`, `12 files`. @param plural where it is not the noun with an s, as of `entry` */
export const counted = (value: number, noun: string, plural = `${noun}s`): string =>
  `${value} ${value === 1 ? noun : plural}`
