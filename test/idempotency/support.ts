// Shared parts of the idempotency tests: paid requests on every text surface, and the responses to them.
import { expect } from 'bun:test'
import { MODEL } from '../support/catalogue.ts'
import type { TestGateway } from '../support/gateway.ts'
import { answer, ask, streamPath, wholePath } from '../support/native.ts'
import { type Answer, events, type Script, type UpstreamRequest, whole } from '../support/upstream.ts'

export interface Paid {
  path: string
  body: object
  headers?: Record<string, string>
}

const MESSAGES = [{ role: 'user', content: 'Say hello.' }]
const message = { model: MODEL, max_tokens: 100, messages: MESSAGES }
const version = { 'anthropic-version': '2023-06-01' }

/** "on any paid POST": each text surface, whole and streamed. */
export const PAID = {
  'native, whole': { path: wholePath(), body: ask() },
  'native, events': { path: streamPath(), body: ask() },
  'native, array': { path: streamPath().replace('?alt=sse', ''), body: ask() },
  'messages, whole': { path: '/v1/messages', body: message, headers: version },
  'messages, streamed': { path: '/v1/messages', body: { ...message, stream: true }, headers: version },
  'chat, whole': { path: '/v1/chat/completions', body: { model: MODEL, messages: MESSAGES } },
  'chat, streamed': {
    path: '/v1/chat/completions',
    body: { model: MODEL, messages: MESSAGES, stream: true },
  },
} as const satisfies Record<string, Paid>

/** The upstream's answer, as a stream or as a whole. */
export const answering =
  (text = 'Hello.') =>
  ({ path }: UpstreamRequest): Answer =>
    path.includes(':stream') ? events([answer(text)]) : whole(answer(text))

/** A script, and the arrival of its first request. */
export function announcing(script: Script): { script: Script; arrived: Promise<void> } {
  const { promise: arrived, resolve } = Promise.withResolvers<void>()
  return {
    arrived,
    script: (seen, index) => {
      resolve()
      return typeof script === 'function' ? script(seen, index) : script
    },
  }
}

/** The parts of an answer that its replay repeats. */
interface Reply {
  status: number
  type: string | null
  request_id: string | null
  replayed: string | null
  body: string
}

/** Sends a paid request with an Idempotency-Key. */
export async function send(
  gateway: TestGateway,
  { path, body, headers }: Paid,
  { key, idempotency_key }: { key: string; idempotency_key: string },
): Promise<Reply> {
  const response = await gateway.call(path, body, {
    key,
    headers: { ...headers, 'idempotency-key': idempotency_key },
  })
  const header = (name: string) => response.headers.get(name)
  return {
    status: response.status,
    type: header('content-type'),
    request_id: header('x-request-id'),
    replayed: header('idempotent-replayed'),
    body: await response.text(),
  }
}

/** Sends it until its first request is no longer in progress, which the caller cannot see: the money is settled a moment earlier. */
export async function sendAfterEnd(...sent: Parameters<typeof send>): Promise<Reply> {
  for (;;) {
    const reply = await send(...sent)
    if (reply.status !== 409 || !reply.body.includes('still in progress')) return reply
  }
}

/** A refusal in the native shape. */
export function expectRefusal(
  { status, replayed, body }: Reply,
  expected_status: number,
  message: RegExp,
): void {
  expect([status, replayed]).toEqual([expected_status, null])
  expect(JSON.parse(body).error.message).toMatch(message)
}

/** Counts the rows of keys, and those of them with an answer. */
export function keptIn(gateway: TestGateway): { rows: number; answered: number } {
  const row = gateway.db
    .query<{ rows: number; answered: number }, []>(
      'SELECT count(*) AS rows, count(status) AS answered FROM idempotency_keys',
    )
    .get()
  if (!row) throw new Error('the count gave no row')
  return row
}

/** Takes money from an account's balance. */
export async function withdraw(
  gateway: TestGateway,
  account_id: number,
  amount_nanos: number,
): Promise<void> {
  const withdrawal = { op: 'withdraw', account_id, amount_nanos, note: 'test', now_ms: 0 } as const
  expect(await gateway.ledger.submit(withdrawal)).toMatchObject({ ok: true })
}
