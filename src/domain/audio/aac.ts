// The configuration of AAC: sample rate and samples per frame. ISO/IEC 14496-3, section 1.6.2

export const AAC_RATES = [
  96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350,
]
const EXPLICIT_RATE = 15
export const AAC_SAMPLES = 1_024
/** AAC-LD and AAC-ELD. */
const LOW_DELAY: ReadonlySet<number> = new Set([23, 39])
const ESCAPED_TYPE = 31

/** Returns the duration of one frame; undefined if the configuration has no rate. */
export function aacFrameSeconds(bytes: Uint8Array, at: number, end: number): number | undefined {
  if (at + 2 > end) return undefined
  const bit = (index: number): number => ((bytes[at + (index >> 3)] ?? 0) >> (7 - (index & 7))) & 1
  let place = 0
  const read = (bits: number): number => {
    let value = 0
    for (const stop = place + bits; place < stop; place++) value = value * 2 + bit(place)
    return value
  }
  const short_type = read(5)
  const type = short_type === ESCAPED_TYPE ? 32 + read(6) : short_type
  const index = read(4)
  const rate = index === EXPLICIT_RATE ? read(24) : AAC_RATES[index]
  return rate ? (LOW_DELAY.has(type) ? AAC_SAMPLES / 2 : AAC_SAMPLES) / rate : undefined
}
