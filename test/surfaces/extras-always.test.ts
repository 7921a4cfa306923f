// Extras that a provider bills without a request for them: a fee per call, searches, citations and reasoning beside the totals; held for and charged.
import { describe, expect, test } from 'bun:test'
import type { JsonObject } from '../../src/protocols/wire/json.ts'
import { fileScene } from '../support/scene.ts'
import { providerSection } from '../support/sections.ts'
import { events, refusal, whole } from '../support/upstream.ts'
import { REQUESTS } from './requests.ts'

/** Perplexity's prices of its deep research: https://docs.perplexity.ai/getting-started/pricing; with a fee as its other models have. */
const { upstream, call, lastCall } = await fileScene({
  catalogue: (url) => `
${providerSection('perplexity', 'openai', `${url}/openai`, 'cooldown_ms = 0')}
[[models]]
id = "research"
kind = "text"
context = 128000
max_output_tokens = 8000
routes = [{ provider = "perplexity", model = "sonar-deep-research" }]
[models.price]
input = 2
output = 8
[models.price.extras]
request = { per_request = 0.005 }
web_search = { per_unit = 0.005, max_units = 100, always = true }
citation_tokens = { per_unit = 0.000002, max_units = 20000, always = true }
reasoning_tokens = { per_unit = 0.000003, max_units = 100000, always = true }
`,
})

const HELD_NANOS = 5_000_000 + 500_000_000 + 40_000_000 + 300_000_000
const FEE_NANOS = 5_000_000

/** The numbers, but for a shorter completion, are those of https://github.com/bgeneto/open-webui-cost-tracker/issues/6. */
const RESEARCH: JsonObject = {
  prompt_tokens: 108,
  completion_tokens: 256,
  total_tokens: 364,
  citation_tokens: 7299,
  num_search_queries: 74,
  reasoning_tokens: 73248,
}
const TOKENS_NANOS = 108 * 2_000 + 256 * 8_000
const RESEARCH_NANOS = 74 * 5_000_000 + 7299 * 2_000 + 73248 * 3_000

const answer = (usage: JsonObject | undefined, streams: boolean) => {
  const reported = usage === undefined ? {} : { usage }
  const choice = { index: 0, finish_reason: 'stop' }
  return streams
    ? events([
        { choices: [{ index: 0, delta: { content: 'Hello.' } }], ...reported },
        { choices: [{ ...choice, delta: {} }], ...reported },
        '[DONE]',
      ])
    : whole({ choices: [{ ...choice, message: { role: 'assistant', content: 'Hello.' } }], ...reported })
}

const CASES: [name: string, usage: JsonObject, nanos: number][] = [
  ['all of it', RESEARCH, TOKENS_NANOS + RESEARCH_NANOS + FEE_NANOS],
  [
    'the fee alone',
    { prompt_tokens: 108, completion_tokens: 256, total_tokens: 364 },
    TOKENS_NANOS + FEE_NANOS,
  ],
  [
    'no more than is held for',
    { ...RESEARCH, num_search_queries: 900, citation_tokens: 9_000_000, reasoning_tokens: 9_000_000 },
    TOKENS_NANOS + HELD_NANOS,
  ],
]

describe.each(['openai', 'anthropic', 'gemini'] as const)('a caller of %s', (surface) => {
  const send = (streams: boolean) => {
    const { path, headers, body } = REQUESTS[surface]('research', streams)
    return call(path, body, { form: 'x-api-key', headers })
  }

  test.each(CASES)('is charged %s', async (_, usage, nanos) => {
    for (const streams of [false, true]) {
      upstream.answer(answer(usage, streams))
      const response = await send(streams)
      expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('Hello.')])
      const record = await lastCall()
      expect(record).toMatchObject({ outcome: 'completed', estimated: 0, cost_nanos: nanos })
      expect(record.hold_nanos).toBeGreaterThan(HELD_NANOS)
    }
  })

  test('is charged nothing where the provider fails', async () => {
    upstream.answer(refusal(500))
    await (await send(false)).text()
    expect(await lastCall()).toMatchObject({ outcome: 'failed', cost_nanos: 0 })
  })

  test('is charged the fee and one unit of each counted extra where the answer has no usage', async () => {
    upstream.answer(answer(undefined, false))
    await (await send(false)).text()
    const record = await lastCall()
    expect(record.estimated).toBe(1)
    const { extras } = JSON.parse(record.price) as { extras: { name: string; units: number }[] }
    expect(extras.map(({ name, units }) => [name, units])).toEqual([
      ['request', 1],
      ['web_search', 1],
      ['citation_tokens', 1],
      ['reasoning_tokens', 1],
    ])
  })
})
