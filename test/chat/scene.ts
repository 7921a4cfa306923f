// Owns the chat completions surface as its scenarios call it: a world, a key with money, and the surface's own error shape.

import { afterAll, beforeAll, beforeEach, expect } from 'bun:test'
import type { JsonObject } from '../../src/protocols/wire/json.ts'
import type { CallOptions } from '../support/gateway.ts'
import { MODELS, openWorld, replay, type World } from '../surfaces/world.ts'

export const MODEL = MODELS.openai
export const messages = [{ role: 'user', content: 'Why are there tides?' }]
export const BODY: JsonObject = { model: MODEL, messages }
/** A stream whose usage is shown. */
export const SHOWN = { stream: true, stream_options: { include_usage: true } }

/** A vendor who is given little time, and a key that may call once a minute. */
const MORE = `
[[providers]]
name = "hasty"
protocol = "openai"
base_url = "URL/openai/v1"
api_keys = []
call_timeout_ms = 60
cooldown_ms = 0

[[models]]
id = "hasty"
kind = "text"
routes = [{ provider = "hasty", model = "x" }]
price = { input = 1, output = 4 }

[limits.accounts.limited]
requests_per_minute = 1
`

export interface ChatScene {
  readonly world: World
  /** The caller's key. Each test has a new one, with money. */
  readonly key: string
  post(body: object | string | Uint8Array | ReadableStream, options?: CallOptions): Promise<Response>
  /** The payloads of a stream. */
  streamed(more: JsonObject): Promise<string[]>
}

/** The scene of one file of tests: opened before them, closed after them; vendors answer `text` unless told otherwise. */
export function useChat(): ChatScene {
  let world: World
  let key = ''
  const post: ChatScene['post'] = (body, options = {}) =>
    world.gateway.call('/v1/chat/completions', body, { key, ...options })
  beforeAll(async () => {
    world = await openWorld((url) => MORE.replace('URL', url))
  })
  afterAll(() => world[Symbol.asyncDispose]())
  beforeEach(async () => {
    world.upstream.answer(replay('text'))
    key = await world.gateway.caller('100')
  })
  return {
    get world() {
      return world
    },
    get key() {
      return key
    },
    post,
    streamed: async (more) => payloadsOf(await (await post({ ...BODY, stream: true, ...more })).text()),
  }
}

const payloadsOf = (text: string): string[] =>
  text
    .split('\n\n')
    .filter(Boolean)
    .map((frame) => frame.replace(/^data: /, ''))

/** Chunks as objects, without the one word that ends a stream. */
export const chunksOf = (payloads: readonly string[]): JsonObject[] =>
  payloads.filter((payload) => payload !== '[DONE]').map((payload) => JSON.parse(payload))

interface Refused {
  status: number
  type: string
  code: string | null
  param: string | null
  message: string
}

/** The error of an answer that must be one, in OpenAI's shape. */
export async function errorOf(response: Response): Promise<Refused> {
  const body = (await response.json()) as { error: Omit<Refused, 'status'> }
  expect(Object.keys(body)).toEqual(['error'])
  expect(Object.keys(body.error).sort()).toEqual(['code', 'message', 'param', 'type'])
  expect(body.error.message).toMatch(/\S/)
  expect(response.headers.get('x-request-id')).toMatch(/^req_/)
  return { status: response.status, ...body.error }
}
