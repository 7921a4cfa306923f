// The comparison of the text surfaces: the cost of an event forwarded on each, and of one that is translated.
import type { Contest } from './calls.ts'
import type { Effort } from './effort.ts'
import { cpuMicrosPerCall, cpuMicrosPerEvent, inTurns } from './measure.ts'
import type { Paces } from './recording.ts'
import { type Figure, medianOf } from './report.ts'
import { type CallRequest, chatStream, messagesStream, nativeStream } from './requests.ts'

const CONNECTIONS = 64
const RAMP_MS = 200
const CPU_RATIO_OF_AN_EVENT = 1.25

interface Surface {
  readonly what: string
  readonly request: (paces: Paces) => CallRequest
  /** The forwarder's request, as it cannot translate: for the same events of the upstream. */
  readonly bare_request: (paces: Paces) => CallRequest
  readonly goal?: Figure['goal']
}

const FORWARDED = { goal: { ratio_at_most: CPU_RATIO_OF_AN_EVENT } }
const SURFACES: readonly Surface[] = [
  { what: 'native forwarded', request: nativeStream, bare_request: nativeStream, ...FORWARDED },
  { what: 'messages forwarded', request: messagesStream, bare_request: messagesStream, ...FORWARDED },
  { what: 'chat translated from Gemini', request: chatStream, bare_request: nativeStream },
]

/** 64 streams on each surface, all in one run, compared with the bare forwarder and with the native surface. */
export async function compareSurfaces({ gateway, forwarder }: Contest, effort: Effort): Promise<Figure[]> {
  const paces = effort.streams.few
  const load = { connections: CONNECTIONS, calls: CONNECTIONS, ramp_ms: RAMP_MS }
  const contestants = SURFACES.flatMap(({ request, bare_request }) => [
    { subject: gateway, load: { ...load, request: request(paces) } },
    { subject: forwarder, load: { ...load, request: bare_request(paces) } },
  ])
  const samples = await inTurns(contestants, effort.rounds)
  const native_us = medianOf(samples[0] ?? [], cpuMicrosPerEvent)
  const bare_native_us = medianOf(samples[1] ?? [], cpuMicrosPerEvent)
  return SURFACES.flatMap(({ what, goal }, index) => {
    const ours = samples[2 * index] ?? []
    const theirs = samples[2 * index + 1] ?? []
    const pair = (field: (sample: (typeof ours)[number]) => number) => ({
      gateway: medianOf(ours, field),
      peer: medianOf(theirs, field),
    })
    const event_us = pair(cpuMicrosPerEvent)
    return [
      { what: `${what}: CPU per event, all streams flowing`, unit: 'us', ...event_us, ...(goal && { goal }) },
      {
        what: `${what}: the same, native forwarded = 1`,
        unit: 'x',
        gateway: event_us.gateway / native_us,
        peer: event_us.peer / bare_native_us,
      },
      {
        what: `${what}: CPU per whole call of ${paces.events} events`,
        unit: 'us',
        ...pair(cpuMicrosPerCall),
      },
      { what: `${what}: first byte p50`, unit: 'ms', ...pair((sample) => sample.first_byte_ms.p50) },
      { what: `${what}: chunk delay p99`, unit: 'ms', ...pair((sample) => sample.chunk_delay_ms.p99) },
    ]
  })
}
