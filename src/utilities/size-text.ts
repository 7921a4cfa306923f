// Sizes as text for people: `1.2 GB`.

const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB']

/** Formats a size in powers of 1,000, like the console (`bytes` in plugins/console/web/parts/amounts.ts). */
export function sizeText(bytes: number): string {
  let size = bytes
  let step = 0
  while (size >= 999.5 && step < UNITS.length - 1) {
    size /= 1_000
    step++
  }
  return `${step === 0 || size >= 99.95 ? Math.round(size) : size.toFixed(1)} ${UNITS[step]}`
}
