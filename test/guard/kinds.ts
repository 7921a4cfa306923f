// What is counted: kinds of calls on a gateway that counts, and the names of what they make.
import { FULL, COUNTED as LONG } from '../tools/bench/effort.ts'
import type { Load } from '../tools/bench/measure.ts'
import type { Paces } from '../tools/bench/recording.ts'
import { type CallRequest, chatStream, nativeStream, WHOLE_REQUEST } from '../tools/bench/requests.ts'
import { type CountedGateway, difference } from './counted.ts'
import type { Counts } from './counters.ts'

/** What is counted by a kind of call: one whole call, or one event of a stream. */
export type CountedKind = 'small whole call' | 'short stream' | 'forwarded event' | 'translated event'

const CALLS = 60
const STREAMS = 30
const LONG_ROUNDS = 3
const SHORT = FULL.streams.short

const inSequence = (request: CallRequest, calls: number): Load => ({ request, connections: 1, calls })

/** What an event adds: a long stream's counts without those of a short one. */
async function perEvent(gateway: CountedGateway, request: (paces: Paces) => CallRequest): Promise<Counts> {
  const short = await gateway.perCall(inSequence(request(SHORT), STREAMS))
  let least: Counts = {}
  for (let round = 0; round < LONG_ROUNDS; round++)
    least = leastOf(least, await gateway.perCall(inSequence(request(LONG), 1)))
  return difference(short, least, LONG.events - SHORT.events)
}

/** What the gateway does at regular times falls on some long streams, and is no event's. */
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

/** What one call of a kind, or one event, adds to the counts of a gateway. */
export const countsOf = async (gateway: CountedGateway, kind: CountedKind): Promise<Counts> =>
  named(await COUNTING[kind](gateway))

/** The runtime's names of objects, in plain words; the others of its names are counted with `objects`. */
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
/** What is no object; the counters give it its name. */
const DONE = [
  'timers',
  'setImmediate',
  'queueMicrotask',
  'nextTick',
  'addEventListener',
  'SQL statements',
  'messages to a thread',
]

export const COUNTED_NAMES: readonly string[] = [...Object.values(NAMES), 'objects', ...DONE]

function named(counts: Counts): Counts {
  const all: Counts = Object.fromEntries(DONE.map((name) => [name, counts[name] ?? 0]))
  all.objects = 0
  for (const [name, count] of Object.entries(counts)) {
    if (name in all) continue
    all.objects += count
    const known = NAMES[name]
    if (known !== undefined) all[known] = count
  }
  return all
}
