// The comparison of whole answers and of streams between the gateway and the forwarder.
import type { Effort } from './effort.ts'
import { cpuMicrosPerCall, cpuMicrosPerEvent, inTurns, type Sample } from './measure.ts'
import { type Figure, medianOf } from './report.ts'
import { agentCall, type CallRequest, nativeStream, WHOLE_REQUEST } from './requests.ts'
import type { Subject } from './subjects.ts'

export interface Contest {
  readonly gateway: Subject
  readonly forwarder: Subject
  readonly upstream: Subject
}

const CPU_RATIO_OF_A_CALL = 1.6
const CPU_RATIO_OF_AN_EVENT = 1.25
const FIRST_BYTE_ADDED_MS = 0.5
const MEMORY_AT_MANY_STREAMS_MIB = 150

interface WholeLoad {
  readonly what: string
  readonly request: CallRequest
  readonly connections: number
  readonly calls: number
  readonly goal?: Figure['goal']
}

const WHOLE_GOAL = { goal: { ratio_at_most: CPU_RATIO_OF_A_CALL } }
const WHOLE_LOADS: readonly WholeLoad[] = [
  { what: 'whole', request: WHOLE_REQUEST, connections: 1, calls: 6_000 },
  { what: 'whole', request: WHOLE_REQUEST, connections: 16, calls: 24_000, ...WHOLE_GOAL },
  { what: 'whole', request: WHOLE_REQUEST, connections: 64, calls: 24_000, ...WHOLE_GOAL },
]

const LARGE_LOADS: readonly WholeLoad[] = [
  { what: 'agent body of 85 KB', request: agentCall(85_000), connections: 16, calls: 6_000 },
  { what: 'agent body of 500 KB', request: agentCall(500_000), connections: 16, calls: 1_500 },
]

const callsPerSecond = ({ calls, duration_ms }: Sample): number => (calls * 1_000) / duration_ms

/** Whole answers to a small request, at 1, 16 and 64 connections. */
export const compareWholeAnswers = (contest: Contest, effort: Effort): Promise<Figure[]> =>
  compareWhole(contest, effort, WHOLE_LOADS)

/** Whole answers to an agent's request, at two sizes of it. */
export const compareLargeBodies = (contest: Contest, effort: Effort): Promise<Figure[]> =>
  compareWhole(contest, effort, LARGE_LOADS)

/** The latency is what is added to the upstream's own. */
async function compareWhole(
  contest: Contest,
  effort: Effort,
  loads: readonly WholeLoad[],
): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const { what, request, connections, calls, goal } of loads) {
    const load = { request, connections, calls: Math.ceil(calls * effort.share) }
    const contestants = [contest.gateway, contest.forwarder, contest.upstream].map((subject) => ({
      subject,
      load,
    }))
    const [gateway = [], forwarder = [], direct = []] = await inTurns(contestants, effort.rounds)
    const pair = (field: (sample: Sample) => number) => ({
      gateway: medianOf(gateway, field),
      peer: medianOf(forwarder, field),
    })
    const added = (field: (sample: Sample) => number) => ({
      gateway: medianOf(gateway, field) - medianOf(direct, field),
      peer: medianOf(forwarder, field) - medianOf(direct, field),
    })
    const title = `${what}, ${connections} connection${connections === 1 ? '' : 's'}`
    figures.push(
      { what: `${title}: CPU per call`, unit: 'us', ...pair(cpuMicrosPerCall), ...(goal && { goal }) },
      { what: `${title}: calls`, unit: '/s', ...pair(callsPerSecond) },
      { what: `${title}: added latency p50`, unit: 'ms', ...added((sample) => sample.latency_ms.p50) },
      { what: `${title}: added latency p99`, unit: 'ms', ...added((sample) => sample.latency_ms.p99) },
      { what: `${title}: peak memory`, unit: 'MiB', ...pair((sample) => sample.peak_mib) },
    )
  }
  return figures
}

interface StreamLoad {
  readonly length: keyof Effort['streams']
  readonly connections: number
  /** The time over which the streams begin. */
  readonly ramp_ms: number
  readonly memory_goal_mib?: number
}

const STREAM_LOADS: StreamLoad[] = [
  { length: 'few', connections: 1, ramp_ms: 0 },
  { length: 'few', connections: 16, ramp_ms: 100 },
  { length: 'few', connections: 64, ramp_ms: 200 },
  {
    length: 'many',
    connections: 1_000,
    ramp_ms: 2_000,
    memory_goal_mib: MEMORY_AT_MANY_STREAMS_MIB,
  },
]

/** With fewer, all events together cost less than a tick of the CPU clock. */
const CONNECTIONS_WITH_CPU = 16
/** From here on the goals apply. */
const CONNECTIONS_WITH_GOALS = 64

/** Streams at 1, 16, 64 and 1,000 at once. */
export async function compareStreams(contest: Contest, effort: Effort): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const { length, connections, ramp_ms, memory_goal_mib } of STREAM_LOADS) {
    const paces = effort.streams[length]
    const load = { request: nativeStream(paces), connections, calls: connections, ramp_ms }
    const contestants = [contest.gateway, contest.forwarder].map((subject) => ({ subject, load }))
    const [gateway = [], forwarder = []] = await inTurns(contestants, effort.rounds)
    const pair = (field: (sample: Sample) => number) => ({
      gateway: medianOf(gateway, field),
      peer: medianOf(forwarder, field),
    })
    const has_goals = connections >= CONNECTIONS_WITH_GOALS
    const title = `${connections} stream${connections === 1 ? '' : 's'}, ${paces.pace_ms} ms`
    if (connections >= CONNECTIONS_WITH_CPU) {
      figures.push(
        {
          what: `${title}: CPU per event, all streams flowing`,
          unit: 'us',
          ...pair(cpuMicrosPerEvent),
          ...(has_goals && { goal: { ratio_at_most: CPU_RATIO_OF_AN_EVENT } }),
        },
        {
          what: `${title}: CPU per whole call of ${paces.events} events`,
          unit: 'us',
          ...pair(cpuMicrosPerCall),
        },
      )
    }
    figures.push(
      {
        what: `${title}: first byte p50`,
        unit: 'ms',
        ...pair((sample) => sample.first_byte_ms.p50),
        ...(has_goals && { goal: { added_at_most: FIRST_BYTE_ADDED_MS } }),
      },
      { what: `${title}: first byte p99`, unit: 'ms', ...pair((sample) => sample.first_byte_ms.p99) },
      { what: `${title}: chunk delay p50`, unit: 'ms', ...pair((sample) => sample.chunk_delay_ms.p50) },
      { what: `${title}: chunk delay p99`, unit: 'ms', ...pair((sample) => sample.chunk_delay_ms.p99) },
      {
        what: `${title}: peak memory`,
        unit: 'MiB',
        ...pair((sample) => sample.peak_mib),
        ...(memory_goal_mib !== undefined && { goal: { at_most: memory_goal_mib } }),
      },
    )
  }
  return figures
}
