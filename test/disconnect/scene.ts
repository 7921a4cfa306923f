// Owns what the disconnect tests stand on: one stream, the points at which it can be left or broken, and what each then costs.
import { expect } from 'bun:test'
import { Elysia } from 'elysia'
import { plugins } from '../../plugins/index.ts'
import type { Call } from '../../src/db/schema.ts'
import { catalogueOf, MODEL, PROVIDER_KEYS } from '../support/catalogue.ts'
import { startTestGateway, type TestGateway } from '../support/gateway.ts'
import { connectRaw, type RawClient, rawPost } from '../support/raw-client.ts'
import { eventBytes, type Step, startUpstream, type Upstream } from '../support/upstream.ts'

const PROMPT = 'Tell me a story'
export const BODY = { contents: [{ role: 'user', parts: [{ text: PROMPT }] }] }
/** 15 letters of ASCII, four to a token. */
const PROMPT_ESTIMATE = 4
/** test/support/catalogue.ts: USD 1 and 4 per million tokens. */
const INPUT_NANOS = 1_000
const OUTPUT_NANOS = 4_000

export const REPORTED = { 'usage in each event': true, 'no usage at all': false } as const

/** What a vendor says of its usage, and what of the text was sent, after so many events. */
const USAGES = [0, 2, 4, 7, 9]
const TEXTS = ['Once upon', ' a time', ', the end.']
const DELIVERED_ESTIMATES = [0, 3, 4, 7, 7]

/** The story: two events, the one that finishes it, and one more that only corrects the usage. */
function eventsOf(reported: boolean): object[] {
  return [1, 2, 3, 4].map((nth) => {
    const text = TEXTS[nth - 1]
    const part = text === undefined ? {} : { content: { role: 'model', parts: [{ text }] } }
    const candidate = { ...part, ...(nth === 3 ? { finishReason: 'STOP' } : {}), index: 0 }
    const usageMetadata = { promptTokenCount: 10, candidatesTokenCount: USAGES[nth] }
    return { candidates: nth === 4 ? [] : [candidate], ...(reported ? { usageMetadata } : {}) }
  })
}

/** How far a stream has come. `half`: of the next event, the first bytes have come too. */
export interface Point {
  whole_events: number
  half: boolean
  /** What the caller must have seen by then. */
  sees: string | undefined
}

export const POINTS = {
  'before the first event': { whole_events: 0, half: false, sees: undefined },
  'inside the first event': { whole_events: 0, half: true, sees: undefined },
  'after the first event': { whole_events: 1, half: false, sees: 'Once upon' },
  'inside the second event': { whole_events: 1, half: true, sees: 'Once upon' },
  'after the second event': { whole_events: 2, half: false, sees: 'a time' },
  'inside the event that finishes': { whole_events: 2, half: true, sees: 'a time' },
  'after the finish, before the end': { whole_events: 4, half: false, sees: 'the end' },
} as const satisfies Record<string, Point>

/** The steps until a point, and those after it. */
export function stepsAround(
  { whole_events, half }: Point,
  reported: boolean,
): { until: Step[]; after: Step[] } {
  const packets = eventsOf(reported).map(eventBytes)
  const send = (bytes: Buffer): Step => ({ send: bytes })
  const until = packets.slice(0, whole_events).map(send)
  const after = packets.slice(whole_events).map(send)
  const next = packets[whole_events]
  if (!half || !next) return { until, after }
  const middle = next.length >> 1
  return {
    until: [...until, send(next.subarray(0, middle))],
    after: [send(next.subarray(middle)), ...after.slice(1)],
  }
}

/** What so many events cost: what the vendor reported, or the estimate of what it delivered. */
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

/** A gateway whose keys may make one call at a time, and the vendor behind it. */
export interface Scene extends AsyncDisposable {
  upstream: Upstream
  gateway: TestGateway
  /** How many callers the gateway has noticed to be gone. */
  left(): number
  /** How many answers have begun to arrive from the vendor. */
  answers(): number
}

export async function openScene(
  settings: {
    server?: string
    provider?: string
    api_keys?: readonly string[]
    socket_idle_timeout_s?: number
  } = {},
): Promise<Scene> {
  const { server = '', provider = '', api_keys = PROVIDER_KEYS.slice(0, 1), socket_idle_timeout_s } = settings
  const upstream = await startUpstream()
  let left = 0
  let answers = 0
  const watch = () =>
    new Elysia({ name: 'watch' }).onRequest(({ request }) => {
      request.signal.addEventListener('abort', () => {
        left += 1
      })
    })
  const gateway = await startTestGateway({
    catalogue: catalogueOf({
      upstream_url: upstream.url,
      server,
      provider,
      api_keys,
      more: '[limits.key]\nconcurrent_calls = 1',
    }),
    plugins: [watch, ...plugins],
    ...(socket_idle_timeout_s === undefined ? {} : { socket_idle_timeout_s }),
    probe: (point) => {
      if (point === 'dispatched') answers += 1
    },
  })
  return {
    upstream,
    gateway,
    left: () => left,
    answers: () => answers,
    async [Symbol.asyncDispose]() {
      await gateway.stop()
      await upstream[Symbol.asyncDispose]()
    },
  }
}

const GENERATE = `/v1beta/models/${MODEL}:generateContent`
const STREAM = `/v1beta/models/${MODEL}:streamGenerateContent?alt=sse`

/** One caller who has sent his call, but for the last `missing_bytes` of it. */
export async function callRaw(
  { gateway }: Scene,
  streams: boolean,
  connection: 'close' | 'keep-alive' = 'close',
  missing_bytes = 0,
): Promise<{ key: string; client: RawClient }> {
  const key = await gateway.caller()
  const client = await connectRaw(gateway.url)
  const headers = { 'x-api-key': key, connection }
  const request = rawPost(streams ? STREAM : GENERATE, BODY, headers)
  client.send(request.slice(0, request.length - missing_bytes))
  return { key, client }
}

/** Waits for what must come; a test that waits in vain ends by its own time limit. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await Bun.sleep(2)
}

/** The caller's only call so far is recorded, and looks like this; nothing else is left of it. */
export async function expectSettledOnce(
  { gateway, upstream }: Scene,
  key: string,
  expected: Partial<Call>,
): Promise<void> {
  const prefix = key.slice(0, 10)
  const key_id = () => gateway.rows().keys.find((row) => row.prefix === prefix)?.id
  await until(() => gateway.rows().calls.some((call) => call.key_id === key_id()))
  const { calls, holds, entries, accounts, keys } = await gateway.atRest()
  const own = keys.find((row) => row.prefix === prefix)
  const [call, ...more] = calls.filter((row) => row.key_id === own?.id)
  expect(call).toMatchObject(expected)
  expect(more).toEqual([])
  const charged = entries.filter((entry) => entry.call_id === call?.id).map((entry) => -entry.amount_nanos)
  expect(charged).toEqual(call?.cost_nanos ? [call.cost_nanos] : [])
  const [hold] = holds.filter((row) => row.id === call?.id)
  expect(hold?.state).toBe(call?.cost_nanos ? 'posted' : 'voided')
  expect(accounts.find(({ id }) => id === own?.account_id)?.debt_nanos).toBe(0)
  const lines = gateway.log
    .lines()
    .filter(({ message, request_id }) => message === 'call' && request_id === call?.request_id)
  expect(lines).toHaveLength(1)
  await expectPlaceReturned({ gateway, upstream }, key)
}

/** The key, which may make one call at a time, can make another. */
async function expectPlaceReturned(
  { gateway, upstream }: Pick<Scene, 'gateway' | 'upstream'>,
  key: string,
): Promise<void> {
  upstream.answer({ headers: { 'content-type': 'application/json' }, steps: [{ send: '{"candidates":[]}' }] })
  const again = await gateway.call(GENERATE, BODY, { key })
  expect(await again.text()).toBe('{"candidates":[]}')
  await gateway.atRest()
}
