// Formats of numbers: amounts, counts, durations, sizes, percentages. They round, unless named exact.
const NANOS_PER_USD = 1_000_000_000
const NANOS_PER_CENT = 10_000_000
/** The minus sign: as wide as a digit, and no line break after it, unlike a hyphen. */
const MINUS = '\u2212'

const counts = new Intl.NumberFormat('en-US')
const compact = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 })
const cents = new Intl.NumberFormat('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })
const fractions = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 2, maximumFractionDigits: 9 })

/** Below this amount, rounding to the cent would lose more than a tenth. */
const TEN_CENTS = 10 * NANOS_PER_CENT

/** Rounds to two significant digits, with at least two decimals: `0.039`, `0.00034`, `0.10`. */
const twoDigits = (usd: number): string => {
  const text = fractions.format(usd)
  return /\.\d$/.test(text) ? `${text}0` : text
}

/** Rounds to the cent, and below ten cents to two significant digits: `1,234.50`, `0.039`, `0.00034`. */
export function roundedUsd(nanos: number): string {
  const usd = nanos / NANOS_PER_USD
  const text = nanos !== 0 && Math.abs(nanos) < TEN_CENTS ? twoDigits(usd) : cents.format(usd)
  return text.replace('-', MINUS)
}

/** A balance, rounded down to the cent: 2.149 is `2.14`. */
export const balanceUsd = (nanos: number): string =>
  roundedUsd(Math.floor(nanos / NANOS_PER_CENT) * NANOS_PER_CENT)

const MIN_DECIMALS = 2
/** Keeps a column narrow if it has a tiny amount. */
const MAX_DECIMALS = 6

/** Returns the number of decimals for a column of amounts, so that two significant digits of the smallest one are visible. */
export function decimalsFor(amounts: readonly (number | null)[]): number {
  const sizes = amounts.flatMap((nanos) => (nanos ? [Math.abs(nanos)] : []))
  const smallest = Math.min(TEN_CENTS, ...sizes)
  const digits = twoDigits(smallest / NANOS_PER_USD).split('.')[1]?.length ?? MIN_DECIMALS
  return Math.min(MAX_DECIMALS, digits)
}

/** An amount with 2 to 9 decimals: `0.00034`, `1.20000`; `<0.000001` if it would round to 0. */
export function fixedUsd(nanos: number, decimals: number): string {
  const format = new Intl.NumberFormat('en-US', {
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  })
  const step_nanos = NANOS_PER_USD / 10 ** decimals
  if (nanos !== 0 && Math.abs(nanos) < step_nanos / 2)
    return `${nanos < 0 ? `>${MINUS}` : '<'}${format.format(step_nanos / NANOS_PER_USD)}`
  return format.format(nanos / NANOS_PER_USD).replace('-', MINUS)
}

/** An amount with every digit: `0.000341250`. */
export function exactUsd(nanos: number): string {
  const digits = Math.abs(nanos).toString().padStart(10, '0')
  const whole = counts.format(Number(digits.slice(0, -9)))
  return `${nanos < 0 ? MINUS : ''}${whole}.${digits.slice(-9).replace(/0{1,7}$/, '')}`
}

/** Returns a format for exact amounts with the same number of decimals, so that their points align in a column. */
export function aligned(all: readonly number[]): (nanos: number) => string {
  const decimalsOf = (text: string) => text.length - text.indexOf('.') - 1
  const decimals = Math.max(...all.map((nanos) => decimalsOf(exactUsd(nanos))))
  return (nanos) => {
    const text = exactUsd(nanos)
    return text.padEnd(text.length + decimals - decimalsOf(text), '0')
  }
}

export const count = (value: number): string => counts.format(value)

/** `1 call`, `12,345 calls`. @param plural for a noun with an irregular plural, such as `entry` */
export const countNoun = (value: number, noun: string, plural = `${noun}s`): string =>
  `${count(value)} ${value === 1 ? noun : plural}`

/** `12.3K`, for axes and small figures. */
export const briefCount = (value: number): string => compact.format(value)

/** A fraction as a percentage: 0.004 is `0.4 %`, −0.12 is `−12 %`. */
export function share(value: number): string {
  const size = Math.abs(value)
  const percent = size !== 0 && size < 0.1 ? (size * 100).toFixed(1) : Math.round(size * 100)
  return `${value < 0 ? MINUS : ''}${percent} %`
}

/** `340 ms`, `2.4 s`, `3 min 20 s`. */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1_000).toFixed(ms < 10_000 ? 1 : 0)} s`
  return longDuration(ms)
}

const STEPS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const

/** A duration in its two largest units: `3 d 4 h`, `20 min 5 s`. */
export function longDuration(ms: number): string {
  const at = STEPS.findIndex(([, unit_ms]) => ms >= unit_ms)
  const [large, small] = at < 0 ? [STEPS[3], undefined] : [STEPS[at], STEPS[at + 1]]
  if (!large) return '0 s'
  const wholes = Math.floor(ms / large[1])
  const rest = small ? Math.floor((ms % large[1]) / small[1]) : 0
  return small && rest > 0 ? `${wholes} ${large[0]} ${rest} ${small[0]}` : `${wholes} ${large[0]}`
}

const SIZES = ['bytes', 'kB', 'MB', 'GB', 'TB'] as const

/** A size in powers of a thousand: `1.2 MB`; the same as the server's `sizeText`. */
export function bytes(value: number): string {
  let size = value
  let step = 0
  while (size >= 999.5 && step < SIZES.length - 1) {
    size /= 1_000
    step++
  }
  return `${step === 0 || size >= 99.95 ? Math.round(size) : size.toFixed(1)} ${SIZES[step]}`
}
