// Bugs in the gateway's own decoders: they are not the provider's failure but `internal`, logged with their stack, and no key goes into cooldown.
import { describe, expect, test } from 'bun:test'
import type { Protocol } from '../../src/protocols/protocol.ts'
import { BUILT_IN_PROTOCOLS, registryOf } from '../../src/protocols/registry.ts'
import { MODEL } from '../support/catalogue.ts'
import { answer, piece } from '../support/native.ts'
import { fileScene, scene } from '../support/scene.ts'
import { events, refusal, whole } from '../support/upstream.ts'

const { gemini, anthropic, openai } = BUILT_IN_PROTOCOLS

const throwBug = (): never => {
  throw new TypeError("undefined is not an object (evaluating 'parts.map')")
}

/** The native protocol with a bug in the decoders of its answers for callers of other protocols. */
const buggy: Protocol = {
  ...gemini,
  text: {
    ...gemini.text,
    decodeAnswer: throwBug,
    createStreamDecoder: () => ({ decode: throwBug, finish: () => [] }),
  },
}
const protocols = registryOf([buggy, anthropic, openai])
/** For the tests after which no key may be in cooldown. */
const bug = await fileScene({ protocols, provider: 'cooldown_ms = 600_000' })
/** For failures of the provider. */
const failing = await fileScene({ protocols, provider: 'cooldown_ms = 0' })

const chat = (stream: boolean) => ({
  model: MODEL,
  stream,
  messages: [{ role: 'user', content: 'Say hello.' }],
})

describe('a translator that throws a TypeError', () => {
  test('on a whole answer: 500, the hold voided, the stack in the log, the provider not reported', async () => {
    bug.upstream.answer(whole(answer()))
    const seen = bug.upstream.requests.length
    for (const _ of [1, 2]) {
      const response = await bug.call('/v1/chat/completions', chat(false))
      expect(response.status).toBe(500)
      expect(await response.text()).not.toContain('parts.map')
      expect(await bug.lastCall()).toMatchObject({ outcome: 'failed', status: 500, cost_nanos: 0 })
    }
    const lines = bug.gateway.log.lines()
    expect(lines.filter(({ message }) => message === 'a route failed')).toEqual([])
    expect(lines.find(({ message }) => message === 'request failed')).toMatchObject({
      level: 'error',
      cause: { name: 'TypeError', stack: expect.stringContaining('own-bugs.test.ts') },
    })
    expect(bug.upstream.requests).toHaveLength(seen + 2)
  })

  test('inside a stream: an internal error as the last record, and the stack in the log', async () => {
    bug.upstream.answer(events([piece('Hel'), answer('lo.')]))
    const response = await bug.call('/v1/chat/completions', chat(true))
    const text = await response.text()
    expect(text).toContain('"error"')
    expect(text).not.toContain('interrupted')
    expect(await bug.lastCall()).toMatchObject({ outcome: 'broken' })
    expect(bug.gateway.log.lines().find(({ message }) => message === 'a stream broke')).toMatchObject({
      level: 'error',
      cause: { name: 'TypeError', stack: expect.stringContaining('own-bugs.test.ts') },
    })
  })

  test.each([
    ['an answer that is not JSON', whole('<html>'), 502],
    ['an error under status 200', whole({ error: { message: 'no' } }), 502],
    ['a refusal', refusal(500, { error: { message: 'no' } }), 502],
  ] as const)('does not hide %s: that is still the provider’s failure', async (_, script, status) => {
    failing.upstream.answer(script)
    const logged = failing.gateway.log.lines().length
    expect((await failing.call('/v1/chat/completions', chat(false))).status).toBe(status)
    const lines = failing.gateway.log.lines().slice(logged)
    expect(lines.map(({ message }) => message)).toContain('a route failed')
  })
})

test('a stream that breaks has the same error message, passed through or translated', async () => {
  await using s = await scene({ script: events([piece('Hel')]) })
  const passed = await (
    await s.call(`/v1beta/models/${MODEL}:streamGenerateContent?alt=sse`, {
      contents: [{ role: 'user', parts: [{ text: 'Say hello.' }] }],
    })
  ).text()
  const translated = await (await s.call('/v1/chat/completions', chat(true))).text()
  const messages = [passed, translated].map((text) => /"message":"([^"]+)"/.exec(text)?.[1])
  expect(messages[0]).toContain('interrupted its answer')
  expect(messages[1]).toBe(messages[0])
})
