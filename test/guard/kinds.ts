// Kinds of counted calls, and plain names for the counted objects and operations.
import { FULL, COUNTED as LONG } from '../tools/bench/effort.ts'
import type { Load } from '../tools/bench/measure.ts'
import type { Paces } from '../tools/bench/recording.ts'
import { type CallRequest, chatStream, nativeStream, WHOLE_REQUEST } from '../tools/bench/requests.ts'
import { type CountedGateway, difference } from './counted.ts'
import type { Counts } from './counters.ts'

/** A counted unit: one call, or one event of a stream. */
export type CountedKind = 'small whole call' | 'short stream' | 'forwarded event' | 'translated event'

const CALLS = 60
const STREAMS = 30
const LONG_ROUNDS = 3
const SHORT = FULL.streams.short

const inSequence = (request: CallRequest, calls: number): Load => ({ request, connections: 1, calls })

/** The counts of one event: those of a long stream less those of a short one. */
async function perEvent(gateway: CountedGateway, request: (paces: Paces) => CallRequest): Promise<Counts> {
  const short = await gateway.perCall(inSequence(request(SHORT), STREAMS))
  let least: Counts = {}
  for (let round = 0; round < LONG_ROUNDS; round++)
    least = leastOf(least, await gateway.perCall(inSequence(request(LONG), 1)))
  return difference(short, least, LONG.events - SHORT.events)
}

/** The lower count of each name, since periodic work of the gateway adds to some long streams. */
const leastOf = (one: Counts, other: Counts): Counts =>
  Object.fromEntries(
    Object.entries(other).map(([name, count]) => [name, Math.min(count, one[name] ?? count)]),
  )

const COUNTING: Record<CountedKind, (gateway: CountedGateway) => Promise<Counts>> = {
  'small whole call': (gateway) => gateway.perCall(inSequence(WHOLE_REQUEST, CALLS)),
  'short stream': (gateway) => gateway.perCall(inSequence(nativeStream(SHORT), STREAMS)),
  'forwarded event': (gateway) => perEvent(gateway, nativeStream),
  'translated event': (gateway) => perEvent(gateway, chatStream),
}

export const KINDS = Object.keys(COUNTING) as CountedKind[]

/** The counts that one call or one event adds. */
export const countsOf = async (gateway: CountedGateway, kind: CountedKind): Promise<Counts> =>
  withPlainNames(await COUNTING[kind](gateway))

/** Plain names for the runtime's classes; all other classes count as `objects`. */
const NAMES: Record<string, string> = {
  Promise: 'promises',
  Function: 'closures',
  JSLexicalEnvironment: 'scopes of closures',
  AsyncFunctionGenerator: 'calls of async functions',
  Object: 'plain objects',
  Array: 'arrays',
  string: 'strings',
  BigInt: 'bigints',
  Map: 'maps',
  Set: 'sets',
  Headers: 'Headers',
  Request: 'Requests',
  Response: 'Responses',
  ReadableStream: 'ReadableStreams',
  AbortController: 'AbortControllers',
  AbortSignal: 'AbortSignals',
}
/** Counts of operations, by the counters' names. */
const OPERATIONS = [
  'timers',
  'setImmediate',
  'queueMicrotask',
  'nextTick',
  'addEventListener',
  'SQL statements',
  'messages to a thread',
]

export const COUNTED_NAMES: readonly string[] = [...Object.values(NAMES), 'objects', ...OPERATIONS]

function withPlainNames(counts: Counts): Counts {
  const all: Counts = Object.fromEntries(OPERATIONS.map((name) => [name, counts[name] ?? 0]))
  all.objects = 0
  for (const [name, count] of Object.entries(counts)) {
    if (name in all) continue
    all.objects += count
    const known = NAMES[name]
    if (known !== undefined) all[known] = count
  }
  return all
}
