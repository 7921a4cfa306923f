// Numbers with their noun, for sentences.

/** Returns `1 file`, `12 files`. @param plural if it is not the noun plus s, as for `entry` */
export const counted = (value: number, noun: string, plural = `${noun}s`): string =>
  `${value} ${value === 1 ? noun : plural}`
