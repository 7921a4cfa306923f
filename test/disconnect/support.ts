// One stream, the points at which its caller can disconnect or its upstream break, and the cost of the call.
import { expect } from 'bun:test'
import { plugins } from '../../plugins/index.ts'
import type { Call } from '../../src/store/schema.ts'
import { type WatchedCallers, watchCallers } from '../support/callers.ts'
import { eventually } from '../support/eventually.ts'
import type { HoldOutcome } from '../support/holds.ts'
import { streamPath, wholePath } from '../support/native.ts'
import { type Scene, type SceneOptions, scene } from '../support/scene.ts'
import { connectSocket, rawPost, type SocketClient } from '../support/socket-client.ts'
import { eventBytes, type Step, whole } from '../support/upstream.ts'

const PROMPT = 'Tell me a story'
export const BODY = { contents: [{ role: 'user', parts: [{ text: PROMPT }] }] }
/** 15 ASCII letters, four to a token. */
const PROMPT_ESTIMATE = 4
/** The price of MODEL in test/support/catalogue.ts. */
const INPUT_NANOS = 1_000
const OUTPUT_NANOS = 4_000

/** The shortest answer. */
export const REFUSAL = { candidates: [{ finishReason: 'SAFETY' }] }

export const REPORTED = { 'usage in each event': true, 'no usage at all': false } as const

/** After this many events: the output tokens that the provider reports, and the estimate of the text delivered. */
const USAGES = [0, 2, 4, 7, 9]
const DELIVERED_ESTIMATES = [0, 3, 4, 7, 7]
const TEXTS = ['Once upon', ' a time', ', the end.']

/** The number of events: two, the one that finishes the answer, and one that only corrects the usage. */
export const ALL_EVENTS = 4

function eventsOf(reported: boolean): object[] {
  return Array.from({ length: ALL_EVENTS }, (_, index) => {
    const text = TEXTS[index]
    const part = text === undefined ? {} : { content: { role: 'model', parts: [{ text }] } }
    const candidate = { ...part, ...(index === 2 ? { finishReason: 'STOP' } : {}), index: 0 }
    const usageMetadata = { promptTokenCount: 10, candidatesTokenCount: USAGES[index + 1] }
    return { candidates: index === 3 ? [] : [candidate], ...(reported ? { usageMetadata } : {}) }
  })
}

/** A point in a stream. */
export interface Point {
  whole_events: number
  /** The first bytes of the next event have come, too. */
  half: boolean
  /** Text that the caller has seen by then. */
  sees: string | undefined
}

export const POINTS = {
  'before the first event': { whole_events: 0, half: false, sees: undefined },
  'inside the first event': { whole_events: 0, half: true, sees: undefined },
  'after the first event': { whole_events: 1, half: false, sees: 'Once upon' },
  'inside the second event': { whole_events: 1, half: true, sees: 'Once upon' },
  'after the second event': { whole_events: 2, half: false, sees: 'a time' },
  'inside the event that finishes': { whole_events: 2, half: true, sees: 'a time' },
  'after the finish, before the end': { whole_events: ALL_EVENTS, half: false, sees: 'the end' },
} as const satisfies Record<string, Point>

/**
 * The steps until a point, and those after it. The gateway has read each packet before the next is sent: once an answer
 * is finished, its newest packet is held back until another one comes.
 */
export function stepsAround(
  { whole_events, half }: Point,
  reported: boolean,
): { until: Step[]; after: Step[] } {
  const packets = eventsOf(reported).map(eventBytes)
  const send = (bytes: Buffer): Step[] => [{ send: bytes }, 'read']
  const until: Step[] = ['read', ...packets.slice(0, whole_events).flatMap(send)]
  const after = packets.slice(whole_events).flatMap(send)
  const next = packets[whole_events]
  if (!half || !next) return { until, after }
  const middle = next.length >> 1
  return {
    until: [...until, ...send(next.subarray(0, middle))],
    after: [...send(next.subarray(middle)), ...after.slice(2)],
  }
}

/** The cost of this many events: by the reported usage, or by the estimate of the delivered text. */
export function priceOf(whole_events: number, reported: boolean): Partial<Call> {
  const input_tokens = reported ? 10 : PROMPT_ESTIMATE
  const output_tokens = (reported ? USAGES : DELIVERED_ESTIMATES)[whole_events] ?? 0
  return {
    cost_nanos: input_tokens * INPUT_NANOS + output_tokens * OUTPUT_NANOS,
    input_tokens,
    output_tokens,
    unpaid_nanos: 0,
    estimated: reported ? 0 : 1,
  }
}

export const FREE: Partial<Call> = { cost_nanos: 0, input_tokens: 0, output_tokens: 0, estimated: 0 }

export interface DisconnectScene extends Scene {
  callers: WatchedCallers
}

/** A scene whose keys may make one call at a time. */
export async function disconnectScene({
  more = '',
  ...options
}: SceneOptions = {}): Promise<DisconnectScene> {
  const callers = watchCallers()
  const opened = await scene({
    ...options,
    more: (url) => `${typeof more === 'function' ? more(url) : more}\n[limits.key]\nconcurrent_calls = 1`,
    plugins: [callers.plugin, ...plugins],
  })
  return { ...opened, callers }
}

export interface RawCall {
  key: string
  client: SocketClient
}

/** Sends a call over a socket, with a key of its own. */
export async function callRaw(
  { gateway }: Scene,
  streams: boolean,
  { connection = 'close', missing_bytes = 0 }: { connection?: string; missing_bytes?: number } = {},
): Promise<RawCall> {
  return sendRaw(
    gateway,
    (key) => rawPost(streams ? streamPath() : wholePath(), BODY, { 'x-api-key': key, connection }),
    missing_bytes,
  )
}

/** Sends a request over a socket, but for its last bytes. @param wire the request with a key, as it goes over the wire */
export async function sendRaw(
  gateway: Scene['gateway'],
  wire: (key: string) => string | Uint8Array,
  missing_bytes = 0,
): Promise<RawCall> {
  const key = await gateway.caller()
  const client = await connectSocket(gateway.url)
  const request = Buffer.from(wire(key))
  client.send(request.subarray(0, request.length - missing_bytes))
  return { key, client }
}

/** Waits until the call of a key is settled: its record is logged once it is in the books. */
export async function settlement({ gateway }: Scene, key: string): Promise<void> {
  await gateway.log.waitForLine((line) => line.message === 'call' && line.key === key.slice(0, 10))
}

/**
 * Asserts that the key's only call so far is recorded like this, that nothing else is left of it, and that its place is free:
 * the key, which may make one call at a time, can make another.
 */
export async function expectSettledOnce(
  s: Scene,
  key: string,
  expected: Partial<Call>,
  fate?: HoldOutcome['state'],
): Promise<void> {
  await settlement(s, key)
  s.upstream.answer(whole(REFUSAL))
  const again = await s.call(wholePath(), BODY, { key })
  expect(await again.json()).toEqual(REFUSAL)
  // Once for both calls: atRest reads all of the scene's books.
  const { calls, holds, entries, accounts, keys } = await s.gateway.atRest()
  const own = keys.find(({ prefix }) => prefix === key.slice(0, 10))
  const [call, ...more] = calls.filter(({ key_id }) => key_id === own?.id)
  expect(call).toMatchObject(expected)
  expect(more.map(({ outcome, status }) => [outcome, status])).toEqual([['completed', 200]])
  const charged = entries.filter(({ call_id }) => call_id === call?.id).map((entry) => -entry.amount_nanos)
  expect(charged).toEqual(call?.cost_nanos ? [call.cost_nanos] : [])
  const [hold] = holds.filter(({ id }) => id === call?.id)
  expect(hold?.state).toBe(fate ?? (call?.cost_nanos ? 'posted' : 'voided'))
  expect(accounts.find(({ id }) => id === own?.account_id)?.debt_nanos).toBe(0)
  const lines = s.gateway.log
    .lines()
    .filter(({ message, request_id }) => message === 'call' && request_id === call?.request_id)
  expect(lines).toHaveLength(1)
}

/** Asserts that a caller who disconnects before the whole request has come leaves no trace. */
export async function expectNothingSent(
  { gateway, callers, upstream }: DisconnectScene,
  wire: (key: string) => Buffer,
): Promise<void> {
  const { calls, holds } = gateway.rows()
  const [seen, arrived, left] = [upstream.requests.length, callers.arrived.count, callers.left.count]
  const { client } = await sendRaw(gateway, wire, 10)
  await callers.arrived.reaches(arrived + 1)
  client.leave('close')
  await eventually('the gateway notices', () => callers.left.count > left)
  const after = await gateway.atRest()
  expect([after.calls.length, after.holds.length]).toEqual([calls.length, holds.length])
  expect(upstream.requests).toHaveLength(seen)
}
