// The chat completions endpoint for its tests, and the shape of its errors.
import { beforeEach, expect } from 'bun:test'
import type { JsonObject } from '../../src/protocols/wire/json.ts'
import type { CallOptions } from '../support/gateway.ts'
import { replay } from '../support/replay.ts'
import type { Scene } from '../support/scene.ts'
import { MODELS, threeProviders } from '../support/three-providers.ts'

export const MODEL = MODELS.openai
export const messages = [{ role: 'user', content: 'Why are there tides?' }]
export const BODY: JsonObject = { model: MODEL, messages }
/** Fields of a streamed request that asks for the usage. */
export const WITH_USAGE = { stream: true, stream_options: { include_usage: true } }

interface ChatScene extends Scene {
  post(body: object | string | Uint8Array | ReadableStream, options?: CallOptions): Promise<Response>
  /** The payloads of a stream. @param more further fields of the request */
  streamed(more: JsonObject): Promise<string[]>
}

/** The scene of a file; providers answer the recording `text` unless a test says otherwise. */
export async function chatScene(): Promise<ChatScene> {
  const scene = await threeProviders()
  beforeEach(() => scene.upstream.answer(replay('text')))
  const post: ChatScene['post'] = (body, options) => scene.call('/v1/chat/completions', body, options)
  return {
    ...scene,
    post,
    streamed: async (more) => payloadsOf(await (await post({ ...BODY, stream: true, ...more })).text()),
  }
}

const payloadsOf = (text: string): string[] =>
  text
    .split('\n\n')
    .filter(Boolean)
    .map((frame) => frame.replace(/^data: /, ''))

/** Chunks as objects, without the `[DONE]` that ends a stream. */
export const chunksOf = (payloads: readonly string[]): JsonObject[] =>
  payloads.filter((payload) => payload !== '[DONE]').map((payload) => JSON.parse(payload))

interface ErrorFields {
  status: number
  type: string
  code: string | null
  param: string | null
  message: string
}

/** The error of a refusal, whose body is checked to be in OpenAI's shape. */
export async function errorOf(response: Response): Promise<ErrorFields> {
  const body = (await response.json()) as { error: Omit<ErrorFields, 'status'> }
  expect(Object.keys(body)).toEqual(['error'])
  expect(Object.keys(body.error).sort()).toEqual(['code', 'message', 'param', 'type'])
  expect(body.error.message).toMatch(/\S/)
  expect(response.headers.get('x-request-id')).toMatch(/^req_/)
  return { status: response.status, ...body.error }
}
