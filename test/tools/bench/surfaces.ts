// The comparison of the text surfaces: the cost of an event forwarded on each, and of one that is translated.
import { warmUpStreams } from './calls.ts'
import type { Effort } from './effort.ts'
import { type Contest, cpuMicrosPerCall, cpuMicrosPerEvent, each, inTurns, type Sample } from './measure.ts'
import type { Paces } from './recording.ts'
import { atMost, type Figure, figureOf, type Goal, ratioAtMost } from './report.ts'
import { type CallRequest, chatStream, messagesStream, nativeStream } from './requests.ts'

const CONNECTIONS = 64
const RAMP_MS = 200

interface Surface {
  readonly what: string
  readonly request: (paces: Paces) => CallRequest
  /** The forwarder's request, as it cannot translate: for the same events of the upstream. */
  readonly bare_request: (paces: Paces) => CallRequest
  readonly cpu_goal?: Goal
  /** The cost of an event compared with one that the gateway forwards on the native surface. */
  readonly to_native_goal?: Goal
}

const SURFACES: readonly Surface[] = [
  {
    what: 'native forwarded',
    request: nativeStream,
    bare_request: nativeStream,
    cpu_goal: ratioAtMost(1.25, 1.15),
  },
  {
    what: 'messages forwarded',
    request: messagesStream,
    bare_request: messagesStream,
    cpu_goal: ratioAtMost(1.25, 1.15),
  },
  {
    what: 'chat translated from Gemini',
    request: chatStream,
    bare_request: nativeStream,
    to_native_goal: atMost(1.5, 1.3),
  },
]

/** In each round, an event's cost over that of one forwarded on the native surface. */
const toNative = (samples: readonly Sample[], native: readonly Sample[] = []): number[] =>
  samples.map((sample, round) => {
    const beside = native[round]
    return beside ? cpuMicrosPerEvent(sample) / cpuMicrosPerEvent(beside) : Number.NaN
  })

/** 64 streams on each surface, all in one run, compared with the bare forwarder and with the native surface. */
export async function compareSurfaces(contest: Contest, effort: Effort): Promise<Figure[]> {
  const paces = effort.streams.few
  const short = effort.streams.short
  for (const { request, bare_request } of SURFACES) {
    await warmUpStreams(contest, effort, request(short), bare_request(short))
  }
  const load = { connections: CONNECTIONS, calls: CONNECTIONS, ramp_ms: RAMP_MS }
  const loads = SURFACES.map(({ request, bare_request }) => ({
    load: { ...load, request: request(paces) },
    bare_load: { ...load, request: bare_request(paces) },
  }))
  const samples = await inTurns(contest, loads, effort.rounds)
  const [native] = samples
  return SURFACES.flatMap(({ what, cpu_goal, to_native_goal }, index) => {
    const own = samples[index]
    if (!own) return []
    const to_native = {
      gateway: toNative(own.gateway, native?.gateway),
      before: own.before && toNative(own.before, native?.before),
    }
    return [
      figureOf(`${what}: CPU per event, all streams flowing`, 'us', each(own, cpuMicrosPerEvent), cpu_goal),
      figureOf(`${what}: the same, native forwarded = 1`, 'x', to_native, to_native_goal),
      figureOf(`${what}: CPU per whole call of ${paces.events} events`, 'us', each(own, cpuMicrosPerCall)),
      figureOf(
        `${what}: first byte p50`,
        'ms',
        each(own, (sample) => sample.first_byte_ms.p50),
      ),
      figureOf(
        `${what}: chunk delay p99`,
        'ms',
        each(own, (sample) => sample.chunk_delay_ms.p99),
      ),
    ]
  })
}
