// A limit of 0 passes to providers of the messages protocol only: there it fills the cache and generates nothing.
import { describe, expect, test } from 'bun:test'
import { providerAsked, recorded } from '../support/replay.ts'
import { ALIASES, TWO_PROVIDERS } from '../support/three-providers.ts'
import { refusal, whole } from '../support/upstream.ts'
import { BODY, errorOf, messagesScene } from './support.ts'

const { upstream, gateway, post, asked, lastCall, counts, expectCounts } = await messagesScene()

const FILLED = {
  ...JSON.parse(recorded('anthropic', 'whole-text')[0] ?? ''),
  content: [],
  usage: { input_tokens: 3, cache_creation_input_tokens: 40, output_tokens: 0 },
}

test('a limit of 0 reaches a provider of the protocol; only the input is held for, and charged', async () => {
  upstream.answer(whole(FILLED))
  const response = await post({ ...BODY, max_tokens: 0 })
  expect(response.status).toBe(200)
  expect(await response.json()).toMatchObject({ content: [] })
  expect(asked()).toMatchObject({ max_tokens: 0 })
  const { input_tokens, output_tokens, cost_nanos } = await lastCall()
  expect({ input_tokens, output_tokens, cost_nanos }).toEqual({
    input_tokens: 3,
    output_tokens: 0,
    cost_nanos: 3 * 1_000 + 40 * 1_250,
  })
  expect(gateway.rows().holds.at(-1)?.amount_nanos).toBeGreaterThan(0)
})

describe('no other provider gets it:', () => {
  test.each([ALIASES.openai, ALIASES.gemini])('%s', async (model) => {
    const before = counts()
    expect(await errorOf(await post({ ...BODY, model, max_tokens: 0 }))).toMatchObject({
      status: 400,
      type: 'invalid_request_error',
      message: expect.stringMatching(/^max_tokens: must be at least 1/),
    })
    await expectCounts(before)
  })

  test('nor the second route of a model whose first one fails', async () => {
    upstream.answer(refusal(500))
    const seen = upstream.seen.length
    expect((await post({ ...BODY, model: TWO_PROVIDERS, max_tokens: 0 })).status).toBe(502)
    expect(upstream.seen.slice(seen).map(providerAsked)).toEqual(['anthropic'])
    await lastCall()
  })
})
