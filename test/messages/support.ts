// The messages endpoint for its tests, and the shape of its errors.
import { beforeEach, expect } from 'bun:test'
import type { CallOptions } from '../support/gateway.ts'
import { replay } from '../support/replay.ts'
import type { Scene } from '../support/scene.ts'
import { MODELS, threeProviders } from '../support/three-providers.ts'

export const MODEL = MODELS.anthropic
export const VERSION = { 'anthropic-version': '2023-06-01' }
export const PATH = '/v1/messages'
export const COUNT = '/v1/messages/count_tokens'
export const messages = [{ role: 'user', content: 'Why are there tides?' }]
export const BODY = { model: MODEL, max_tokens: 1_000, messages }

interface MessagesScene extends Scene {
  /** Calls the endpoint with the version header. */
  post(
    body: object | string | Uint8Array | ReadableStream,
    options?: CallOptions,
    path?: string,
  ): Promise<Response>
}

/** The scene of a file; providers answer the recording `text` unless a test says otherwise. */
export async function messagesScene(): Promise<MessagesScene> {
  const scene = await threeProviders()
  beforeEach(() => scene.upstream.answer(replay('text')))
  return {
    ...scene,
    post: (body, options = {}, path = PATH) =>
      scene.call(path, body, { form: 'x-api-key', ...options, headers: { ...VERSION, ...options.headers } }),
  }
}

/** The error of a refusal, whose body is checked to be the protocol's. */
export async function errorOf(
  response: Response,
): Promise<{ status: number; type: string; message: string }> {
  const id = response.headers.get('request-id')
  const body = (await response.json()) as { error: { type: string; message: string } }
  expect(body).toEqual({
    type: 'error',
    error: { type: expect.any(String), message: expect.stringMatching(/\S/) },
    request_id: id,
  } as never)
  expect(id).toMatch(/^req_/)
  return { status: response.status, ...body.error }
}
