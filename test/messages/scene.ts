// Owns the messages surface as its scenarios call it: a world, a key with money, and the surface's own error shape.
import { afterAll, beforeAll, beforeEach, expect } from 'bun:test'
import type { CallOptions } from '../support/gateway.ts'
import { MODELS, openWorld, replay, type World } from '../surfaces/world.ts'

export const MODEL = MODELS.anthropic
export const VERSION = { 'anthropic-version': '2023-06-01' }
export const PATH = '/v1/messages'
export const COUNT = '/v1/messages/count_tokens'
export const messages = [{ role: 'user', content: 'Why are there tides?' }]
export const BODY = { model: MODEL, max_tokens: 1_000, messages }

/** A vendor who is given little time, and a key that may call once a minute. */
const MORE = `
[[providers]]
name = "hasty"
protocol = "anthropic"
base_url = "URL/anthropic"
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

export interface MessagesScene {
  readonly world: World
  /** The caller's key. Each test has a new one, with money. */
  key: string
  post(
    body: object | string | Uint8Array | ReadableStream,
    options?: CallOptions,
    path?: string,
  ): Promise<Response>
}

/** The scene of one file of tests: opened before them, closed after them; vendors answer `text` unless told otherwise. */
export function useMessages(): MessagesScene {
  let world: World
  const scene: MessagesScene = {
    key: '',
    get world() {
      return world
    },
    post: (body, options = {}, path = PATH) =>
      world.gateway.call(path, body, {
        key: scene.key,
        form: 'x-api-key',
        ...options,
        headers: { ...VERSION, ...options.headers },
      }),
  }
  beforeAll(async () => {
    world = await openWorld((url) => MORE.replace('URL', url))
  })
  afterAll(() => world[Symbol.asyncDispose]())
  beforeEach(async () => {
    world.upstream.answer(replay('text'))
    scene.key = await world.gateway.caller('100')
  })
  return scene
}

/** The error of an answer that must be one, in the vendor's shape. */
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
