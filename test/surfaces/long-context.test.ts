// silent.md, Chat completions, models, embeddings: "A beta or field that only opens a longer context is no extra: it passes, and the prompt's
// tier prices it; without a price for that tier a prompt beyond it is refused."
import { describe, expect, test } from 'bun:test'
import type { JsonObject } from '../../src/protocols/wire/json.ts'
import { fileScene } from '../support/scene.ts'
import { modelSection, providerSection } from '../support/sections.ts'
import { events, whole } from '../support/upstream.ts'
import { expectFieldRefused, REQUESTS } from './requests.ts'

const TIERS = 'input = 1, output = 4, tiers = [{ above = 200_000, input = 2, output = 6 }]'
const more = (context: number) => `context = ${context}\nmax_output_tokens = 1000`
const { upstream, call, lastCall, counts, expectCounts } = await fileScene({
  catalogue: (url) =>
    [
      providerSection('claude', 'anthropic', `${url}/claude`, 'cooldown_ms = 0'),
      providerSection('gpt', 'openai', `${url}/gpt`, 'cooldown_ms = 0'),
      modelSection('flat', { claude: 'm' }, { more: more(200_000) }),
      modelSection('tiered', { claude: 'm' }, { price: TIERS, more: more(200_000) }),
      modelSection(
        'late-tier',
        { claude: 'm' },
        { price: TIERS.replace('200_000', '500_000'), more: more(200_000) },
      ),
      modelSection('long', { claude: 'm' }, { more: more(1_000_000) }),
      modelSection('translated', { gpt: 'm' }, { price: TIERS, more: more(200_000) }),
    ].join(''),
})

const BETA = 'context-1m-2025-08-07'
const LONG = 'tides and tidal waves '.repeat(120_000)

async function send(model: string, { betas = BETA, fields = {}, streams = false, text = '' } = {}) {
  const more = text === '' ? fields : { messages: [{ role: 'user', content: text }], ...fields }
  const request = REQUESTS.anthropic(model, streams, more as JsonObject)
  const headers = { ...request.headers, ...(betas === '' ? {} : { 'anthropic-beta': betas }) }
  return call(request.path, request.body, { form: 'x-api-key', headers })
}

function answerWith(input_tokens: number): void {
  const usage = { input_tokens, output_tokens: 10 }
  upstream.answer(({ body }) =>
    JSON.parse(body.toString()).stream
      ? events([
          { type: 'message_start', message: { usage: { input_tokens, output_tokens: 1 } } },
          { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
          { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello.' } },
          { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 10 } },
          { type: 'message_stop' },
        ])
      : whole({
          type: 'message',
          content: [{ type: 'text', text: 'Hello.' }],
          stop_reason: 'end_turn',
          usage,
        }),
  )
}

describe('the beta passes, and reaches the provider where the model has a price for longer prompts', () => {
  test.each([
    ['tiered', BETA, BETA],
    ['long', BETA, BETA],
    ['tiered', `a, ${BETA} ,b`, `a, ${BETA} ,b`],
    ['flat', BETA, undefined],
    ['late-tier', BETA, undefined],
    ['flat', `interleaved-thinking-2025-05-14,${BETA.toUpperCase()}`, 'interleaved-thinking-2025-05-14'],
    ['flat', 'interleaved-thinking-2025-05-14', 'interleaved-thinking-2025-05-14'],
  ])('%s: %s', async (model, betas, sent) => {
    for (const streams of [false, true]) {
      answerWith(1_000)
      const response = await send(model, { betas, streams })
      expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('Hello.')])
      expect(upstream.last().headers['anthropic-beta']).toBe(sent)
      expect((await lastCall()).cost_nanos).toBe(1_000 * 1_000 + 10 * 4_000)
    }
  })
  test('a beta in the body, where some servers read it, is passed on, or refused by name', async () => {
    const fields = { betas: [BETA] }
    answerWith(1_000)
    expect((await send('tiered', { betas: '', fields })).status).toBe(200)
    expect((await send('long', { betas: '', fields })).status).toBe(200)
    const before = counts()
    await expectFieldRefused('anthropic', await send('flat', { betas: '', fields }), 'betas')
    await expectCounts(before)
  })
  test('the beta does not go to a provider of another protocol', async () => {
    upstream.answer(
      whole({
        choices: [{ message: { content: 'Hello.' } }],
        usage: { prompt_tokens: 9, completion_tokens: 1 },
      }),
    )
    expect((await send('translated')).status).toBe(200)
    expect(upstream.last().headers).not.toHaveProperty('anthropic-beta')
  })
})

describe('the prompt’s size prices the whole call', () => {
  test.each([
    ['tiered', 200_000, 200_000 * 1_000 + 10 * 4_000],
    ['tiered', 200_001, 200_001 * 2_000 + 10 * 6_000],
    ['long', 200_001, 200_001 * 1_000 + 10 * 4_000],
  ])('%s, %d tokens', async (model, tokens, nanos) => {
    for (const streams of [false, true]) {
      answerWith(tokens)
      await (await send(model, { streams, text: LONG })).text()
      const record = await lastCall()
      expect(record).toMatchObject({ cost_nanos: nanos, estimated: 0, unpaid_nanos: 0 })
      expect(record.hold_nanos).toBeGreaterThanOrEqual(nanos)
    }
  })
})

describe('a prompt beyond the context, without a price for it, is refused before anything is held', () => {
  test.each([
    ['flat', BETA],
    ['late-tier', BETA],
    ['tiered', ''],
    ['translated', BETA],
  ])('%s, betas %p', async (model, betas) => {
    const before = counts()
    const response = await send(model, { betas, text: LONG })
    expect([response.status, await response.text()]).toEqual([
      400,
      expect.stringMatching(/prompt is too long: \d+ tokens > 200000 maximum/),
    ])
    await expectCounts(before)
  })
})
