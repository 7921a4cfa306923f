// Sizes in words for people: `1.2 GB`.

const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB']

/** In powers of 1,000, as the console writes them (`bytes` in plugins/console/web/parts/amounts.ts). */
export function sizeText(bytes: number): string {
  let size = bytes
  let step = 0
  while (size >= 999.5 && step < UNITS.length - 1) {
    size /= 1_000
    step++
  }
  return `${step === 0 || size >= 99.95 ? Math.round(size) : size.toFixed(1)} ${UNITS[step]}`
}
