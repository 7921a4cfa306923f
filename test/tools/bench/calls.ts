// The comparison of whole answers and of streams between the gateway and the forwarder.
import type { Effort } from './effort.ts'
import {
  type Contest,
  cpuMicrosPerCall,
  cpuMicrosPerEvent,
  each,
  inTurns,
  type Sample,
  warmUp,
} from './measure.ts'
import { addedAtMost, atMost, type Figure, figureOf, type Goal, ratioAtMost } from './report.ts'
import { agentCall, type CallRequest, nativeStream, translatedAgentCall, WHOLE_REQUEST } from './requests.ts'

const CPU_OF_A_CALL = { few: ratioAtMost(2.7), many: ratioAtMost(2.3) } as const
const CPU_OF_A_LARGE_CALL = ratioAtMost(3.5)
const CPU_OF_AN_EVENT = ratioAtMost(1.5)
const LATENCY = atMost(17)
const FIRST_BYTE = addedAtMost(0.7)
const MEMORY_OF_CALLS = atMost(150)
const MEMORY_OF_STREAMS = atMost(150)

const WARM_UP_CONNECTIONS = 16

interface WholeLoad {
  readonly what: string
  readonly request: CallRequest
  /** The forwarder's request, if the gateway's is translated. */
  readonly bare_request?: CallRequest
  readonly connections: number
  readonly calls: number
  readonly cpu_goal?: Goal
  readonly latency_goal?: Goal
  readonly memory_goal?: Goal
}

const WHOLE_LOADS: readonly WholeLoad[] = [
  { what: 'whole', request: WHOLE_REQUEST, connections: 1, calls: 6_000 },
  { what: 'whole', request: WHOLE_REQUEST, connections: 16, calls: 24_000, cpu_goal: CPU_OF_A_CALL.few },
  {
    what: 'whole',
    request: WHOLE_REQUEST,
    connections: 64,
    calls: 24_000,
    cpu_goal: CPU_OF_A_CALL.many,
    latency_goal: LATENCY,
    memory_goal: MEMORY_OF_CALLS,
  },
]

const AGENTS = { connections: 16, bare_request: agentCall(85_000) }
const LONG_AGENTS = { connections: 16, bare_request: agentCall(500_000) }
const LARGE_LOADS: readonly WholeLoad[] = [
  {
    what: 'agent body of 85 KB',
    request: agentCall(85_000),
    ...AGENTS,
    calls: 6_000,
    cpu_goal: CPU_OF_A_LARGE_CALL,
  },
  {
    what: 'agent body of 500 KB',
    request: agentCall(500_000),
    ...LONG_AGENTS,
    calls: 1_500,
    cpu_goal: CPU_OF_A_LARGE_CALL,
  },
  { what: 'translated to chat, 85 KB', request: translatedAgentCall(85_000), ...AGENTS, calls: 3_000 },
  { what: 'translated to chat, 500 KB', request: translatedAgentCall(500_000), ...LONG_AGENTS, calls: 600 },
]

export const callsPerSecond = ({ calls, duration_ms }: Sample): number => (calls * 1_000) / duration_ms

/** Whole answers to a small request, at 1, 16 and 64 connections. */
export async function compareWholeAnswers(contest: Contest, effort: Effort): Promise<Figure[]> {
  await warmUp(contest, {
    load: { request: WHOLE_REQUEST, connections: WARM_UP_CONNECTIONS, calls: effort.warm_up.calls },
  })
  return compareWhole(contest, effort, WHOLE_LOADS)
}

/** Whole answers to an agent's request, at two sizes of it, passed on and translated. Code is as warm as for small calls. */
export async function compareLargeBodies(contest: Contest, effort: Effort): Promise<Figure[]> {
  for (const [index, { request, bare_request = request, connections, ...rest }] of LARGE_LOADS.entries()) {
    const calls = index === 0 ? effort.warm_up.calls : Math.ceil(rest.calls * effort.share)
    await warmUp(contest, {
      load: { request, connections, calls },
      bare_load: { request: bare_request, connections, calls },
    })
  }
  return compareWhole(contest, effort, LARGE_LOADS)
}

async function compareWhole(
  contest: Contest,
  effort: Effort,
  loads: readonly WholeLoad[],
): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const {
    what,
    request,
    bare_request = request,
    connections,
    cpu_goal,
    latency_goal,
    memory_goal,
    ...rest
  } of loads) {
    const calls = Math.ceil(rest.calls * effort.share)
    const [samples] = await inTurns(
      contest,
      [{ load: { request, connections, calls }, bare_load: { request: bare_request, connections, calls } }],
      effort.rounds,
    )
    if (!samples) continue
    const title = `${what}, ${connections} connection${connections === 1 ? '' : 's'}`
    const latency_ms = each(samples, (sample) => sample.latency_ms)
    figures.push(
      figureOf(`${title}: CPU per call`, 'us', each(samples, cpuMicrosPerCall), cpu_goal),
      figureOf(`${title}: calls`, '/s', each(samples, callsPerSecond)),
      figureOf(
        `${title}: latency p50`,
        'ms',
        each(latency_ms, ({ p50 }) => p50),
      ),
      figureOf(
        `${title}: latency p99`,
        'ms',
        each(latency_ms, ({ p99 }) => p99),
        latency_goal,
      ),
      figureOf(
        `${title}: peak memory`,
        'MiB',
        each(samples, (sample) => sample.peak_mib),
        memory_goal,
      ),
    )
  }
  return figures
}

interface StreamLoad {
  readonly length: 'few' | 'many'
  readonly connections: number
  /** The time over which the streams begin. */
  readonly ramp_ms: number
  readonly memory_goal?: Goal
}

const STREAM_LOADS: StreamLoad[] = [
  { length: 'few', connections: 1, ramp_ms: 0 },
  { length: 'few', connections: 16, ramp_ms: 100 },
  { length: 'few', connections: 64, ramp_ms: 200 },
  { length: 'many', connections: 1_000, ramp_ms: 2_000, memory_goal: MEMORY_OF_STREAMS },
]

/** With fewer, all events together cost less than a tick of the CPU clock. */
const CONNECTIONS_WITH_CPU = 16
/** From here on the goals apply. */
const CONNECTIONS_WITH_GOALS = 64

/** Many short streams, so that the beginning and the end of a stream are as warm as its middle. */
export const warmUpStreams = (
  contest: Contest,
  effort: Effort,
  request: CallRequest = nativeStream(effort.streams.short),
  bare_request: CallRequest = request,
): Promise<void> => {
  const load = { connections: WARM_UP_CONNECTIONS, calls: effort.warm_up.streams }
  return warmUp(contest, { load: { ...load, request }, bare_load: { ...load, request: bare_request } })
}

/** Streams at 1, 16, 64 and 1,000 at once. */
export async function compareStreams(contest: Contest, effort: Effort): Promise<Figure[]> {
  await warmUpStreams(contest, effort)
  const figures: Figure[] = []
  for (const { length, connections, ramp_ms, memory_goal } of STREAM_LOADS) {
    const paces = effort.streams[length]
    const load = { request: nativeStream(paces), connections, calls: connections, ramp_ms }
    await warmUp(contest, { load })
    const [samples] = await inTurns(contest, [{ load }], effort.rounds)
    if (!samples) continue
    const has_goals = connections >= CONNECTIONS_WITH_GOALS
    const title = `${connections} stream${connections === 1 ? '' : 's'}, ${paces.pace_ms} ms`
    const first_byte_ms = each(samples, (sample) => sample.first_byte_ms)
    const chunk_delay_ms = each(samples, (sample) => sample.chunk_delay_ms)
    if (connections >= CONNECTIONS_WITH_CPU) {
      figures.push(
        figureOf(
          `${title}: CPU per event, all streams flowing`,
          'us',
          each(samples, cpuMicrosPerEvent),
          has_goals ? CPU_OF_AN_EVENT : undefined,
        ),
        figureOf(
          `${title}: CPU per whole call of ${paces.events} events`,
          'us',
          each(samples, cpuMicrosPerCall),
        ),
      )
    }
    figures.push(
      figureOf(
        `${title}: first byte p50`,
        'ms',
        each(first_byte_ms, ({ p50 }) => p50),
        has_goals ? FIRST_BYTE : undefined,
      ),
      figureOf(
        `${title}: first byte p99`,
        'ms',
        each(first_byte_ms, ({ p99 }) => p99),
      ),
      figureOf(
        `${title}: chunk delay p50`,
        'ms',
        each(chunk_delay_ms, ({ p50 }) => p50),
      ),
      figureOf(
        `${title}: chunk delay p99`,
        'ms',
        each(chunk_delay_ms, ({ p99 }) => p99),
      ),
      figureOf(
        `${title}: peak memory`,
        'MiB',
        each(samples, (sample) => sample.peak_mib),
        memory_goal,
      ),
    )
  }
  return figures
}
