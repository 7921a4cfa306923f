// Errors in the streams of providers of responses: each keeps its kind in every form, and before any output it is answered with
// an error status in place of a stream.
import { describe, expect, test } from 'bun:test'
import { STREAMED } from '../disconnect/streams.ts'
import { OVER_RESPONSES, surfaceModels } from '../disconnect/surfaces.ts'
import { fileScene } from '../support/scene.ts'
import { stream } from '../support/upstream.ts'
import { eventsOf, QUESTION } from './support.ts'

const { upstream, call, lastCall } = await fileScene({ more: surfaceModels })

const WORDS = 'words of the provider'
const event = (code: string) => ({ type: 'error', code, message: WORDS, param: null, sequence_number: 1 })
const failed = (code: string) => ({
  type: 'response.failed',
  response: { id: 'resp_theirs', status: 'failed', error: { code, message: WORDS }, output: [] },
})
const proxied = (code: string) => ({ error: { code, message: WORDS, type: 'some_error', param: null } })
const CODES: readonly (readonly [code: string, status: number, expected: string])[] = [
  ['rate_limit_exceeded', 429, 'rate_limit_exceeded'],
  ['server_is_overloaded', 503, 'server_is_overloaded'],
  ['slow_down', 503, 'server_is_overloaded'],
  ['server_error', 502, 'server_error'],
  ['of_next_year', 502, 'server_error'],
  ['context_length_exceeded', 400, 'context_length_exceeded'],
  ['invalid_prompt', 400, 'invalid_request_error'],
]
const WAYS = { event, 'a response that failed': failed, 'an error of a proxy': proxied }
const CASES = CODES.flatMap((code) => Object.entries(WAYS).map(([way, of]) => [...code, way, of] as const))

const ask = () => call('/v1/responses', { model: OVER_RESPONSES, input: QUESTION, stream: true })
const OPENING = STREAMED['responses, passed through']?.provider.events.slice(0, 2) ?? []

describe.each(CASES)('%s: %i, or %s in a stream; reported by %s', (code, status, expected, _way, of) => {
  test('as the first event', async () => {
    upstream.answer(stream({ event: of(code) }))
    const response = await ask()
    expect(response.status).toBe(status)
    expect((await response.text()).includes(WORDS)).toBe(status === 400)
    expect(await lastCall()).toMatchObject({ outcome: 'failed', status, cost_nanos: 0 })
  })

  test('after output', async () => {
    upstream.answer(stream(...OPENING.map((send) => ({ send })), 'read', { event: of(code) }))
    const response = await ask()
    const events = eventsOf(await response.text())
    expect(events.at(-1)).toMatchObject({
      type: 'response.failed',
      response: { status: 'failed', error: { code: expected } },
    })
    expect(events.filter(({ type }) => type === 'error')).toHaveLength(1)
    expect(await lastCall()).toMatchObject({ outcome: 'broken', cost_nanos: 5 * 1_000 + 3 * 4_000 })
  })
})
