// Durations as operators write them: `90s`, `12h`, `30d`.

const UNIT_MS: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
}

const DURATION = /^(\d{1,6})([smhdw])$/

export const isDuration = (text: string): boolean => DURATION.test(text)

/** Reads `90s`, `15m`, `12h`, `30d` or `2w`. @returns milliseconds @throws RangeError for other text */
export function parseDuration(text: string): number {
  const [, count = '', unit = ''] = DURATION.exec(text) ?? []
  const unit_ms = UNIT_MS[unit]
  if (unit_ms === undefined) {
    throw new RangeError('Write a number and s, m, h, d or w, such as 90s, 12h or 30d.')
  }
  return Number(count) * unit_ms
}
