// A million damaged image headers: each is read or refused in a short time.
import { countPngFrames } from '../../../src/media/apng.ts'
import { decodeWholly, mutantsOf, readHeaders, sourcesOfHeaders } from '../../media/mutants.ts'
import type { Attack } from './attack.ts'

const HEADERS = 1_000_000
/** This number is also decoded, by libvips. */
const WHOLE_IMAGES = 20_000
const SEED = 20_261_121
/** The limit of CPU time for one header: elapsed time would include other work of the machine. */
const MAX_CPU_MS = 100
const LARGEST_BYTES = 25 * 1024 * 1024

export const imageHeaders: Attack = {
  name: 'image-headers',
  description: 'damaged headers of JPEG, PNG, GIF and WebP',
  long: true,
  async run({ rounds }) {
    const sources = await sourcesOfHeaders()
    const outcomes = new Map<string, number>()
    let slowest_ms = 0
    const began_ms = performance.now()
    for (const bytes of mutantsOf(sources, SEED).take(HEADERS * rounds)) {
      const used = process.cpuUsage()
      const outcome = readHeaders(bytes)
      slowest_ms = Math.max(slowest_ms, sinceMs(used))
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
    }
    const took_s = (performance.now() - began_ms) / 1_000
    const whole = new Map<string, number>()
    for (const bytes of mutantsOf(sources, SEED + 1).take(WHOLE_IMAGES * rounds)) {
      const outcome = await decodeWholly(bytes)
      whole.set(outcome, (whole.get(outcome) ?? 0) + 1)
    }
    const chunks_ms = timeOfEmptyChunks()
    return {
      tried: `${HEADERS * rounds} headers in ${took_s.toFixed(0)} s, ${WHOLE_IMAGES * rounds} of them decoded`,
      held: slowest_ms < MAX_CPU_MS && chunks_ms < MAX_CPU_MS,
      figures: `nothing thrown but refusals (${textOf(outcomes)}; decoded: ${textOf(whole)}); slowest ${slowest_ms.toFixed(1)} ms of CPU; a PNG of 25 MB of empty chunks ${chunks_ms.toFixed(0)} ms`,
    }
  },
}

const textOf = (outcomes: ReadonlyMap<string, number>): string =>
  [...outcomes].map(([outcome, count]) => `${count} ${outcome}`).join(', ')

/** The longest way through a PNG: chunks without data. */
function timeOfEmptyChunks(): number {
  const bytes = new Uint8Array(LARGEST_BYTES)
  const used = process.cpuUsage()
  countPngFrames(bytes)
  return sinceMs(used)
}

/** The CPU time of the whole process since then. */
function sinceMs(used: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(used)
  return (user + system) / 1_000
}
