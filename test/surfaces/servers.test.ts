// Recorded answers of real servers, played to callers of each surface: charged as the provider bills, shown in the caller's form.
import { describe, expect, test } from 'bun:test'
import { parseUsd } from '../../src/domain/money.ts'
import type { JsonObject } from '../../src/protocols/wire/json.ts'
import type { Call } from '../../src/store/schema.ts'
import { sample } from '../support/long.ts'
import { fileScene } from '../support/scene.ts'
import { providerSection } from '../support/sections.ts'
import {
  countsIn,
  type Fixture,
  type FixtureProtocol,
  fixtures,
  othersOf,
  playedBy,
  requestTo,
  SURFACES,
  type Surface,
} from './servers.ts'

const PRICE =
  'input = 2, cache_read = 0.2, cache_write_5m = 2.5, cache_write_1h = 4, audio = 6, output = 8, image_output = 30'
const PROTOCOLS: readonly FixtureProtocol[] = ['gemini', 'anthropic', 'openai', 'responses']

const provider = (protocol: FixtureProtocol, url: string): string =>
  protocol === 'responses'
    ? providerSection(protocol, 'openai', `${url}/v1`, 'responses = true')
    : providerSection(protocol, protocol, protocol === 'openai' ? `${url}/v1` : url)

const model = (protocol: FixtureProtocol): string => `
[[models]]
id = "${protocol}"
kind = "text"
price = { ${PRICE} }
context = 200000
max_output_tokens = 16384
routes = [{ provider = "${protocol}", model = "any-model"${protocol === 'responses' ? ', endpoint = "responses"' : ''} }]
`

const { gateway, upstream, call } = await fileScene({
  catalogue: (url) =>
    [
      '[server]\nlog_level = "debug"',
      ...PROTOCOLS.map((protocol) => provider(protocol, url)),
      ...PROTOCOLS.map(model),
    ].join('\n'),
})

async function play(fixture: Fixture, surface: Surface): Promise<{ call: Call; text: string }> {
  upstream.answer(playedBy(fixture))
  const { path, headers, body } = requestTo(surface, fixture.protocol, fixture.stream)
  const response = await call(path, body, { form: 'x-api-key', headers })
  const text = await response.text()
  expect({ surface, status: response.status, text: response.status === 200 ? '' : text }).toEqual({
    surface,
    status: 200,
    text: '',
  })
  const row = gateway.db
    .query('SELECT * FROM calls WHERE request_id = ?')
    .get(response.headers.get('x-request-id') ?? '')
  return { call: row as Call, text }
}

/** The bill of a fixture, in the fields of a call's record. */
const billedBy = ({ bills }: Fixture) => ({
  input_tokens: bills.uncached_input,
  input_audio_tokens: bills.audio_input ?? 0,
  cache_read_tokens: bills.cache_read,
  cache_write_5m_tokens: bills.cache_write_5m ?? 0,
  cache_write_1h_tokens: bills.cache_write_1h ?? 0,
  output: bills.output,
  output_image_tokens: bills.image_output ?? 0,
})

/** The cost that the answer reports; at an own key, the bill of that key. */
const reportedBy = ({ bills: { cost_usd, byok_upstream_usd } }: Fixture): number | null => {
  const usd = byok_upstream_usd ?? cost_usd
  return usd === undefined ? null : Math.round(Number(usd) * 1_000_000_000)
}

const ALL = fixtures()

test('at least 120 answers of at least 16 servers are recorded', () => {
  expect(ALL.length).toBeGreaterThanOrEqual(120)
  expect(new Set(ALL.map(({ server }) => server)).size).toBeGreaterThanOrEqual(16)
})

describe('the charge equals the provider’s bill, and the usage comes in the caller’s form', () => {
  test.each(ALL.map((fixture, row) => [fixture.name, fixture, row] as const))(
    '%s',
    async (_, fixture, row) => {
      const { own } = SURFACES[fixture.protocol]
      for (const surface of [own, ...sample(othersOf(fixture), row)]) {
        const { call, text } = await play(fixture, surface)
        expect({
          surface,
          cost_nanos: call.cost_nanos,
          estimated: call.estimated,
          outcome: call.outcome,
          input_tokens: call.input_tokens,
          input_audio_tokens: call.input_audio_tokens,
          cache_read_tokens: call.cache_read_tokens,
          cache_write_5m_tokens: call.cache_write_5m_tokens,
          cache_write_1h_tokens: call.cache_write_1h_tokens,
          output: call.output_tokens + call.thinking_tokens,
          output_image_tokens: call.output_image_tokens,
          provider_cost_nanos: call.provider_cost_nanos,
        }).toEqual({
          surface,
          cost_nanos: parseUsd(fixture.charge_usd),
          estimated: 0,
          outcome: 'completed',
          ...billedBy(fixture),
          provider_cost_nanos: reportedBy(fixture),
        })
        if (surface !== own) expect(countsIn(surface, text)).toEqual(usageOf(call, surface))
      }
    },
  )
})

/** The usage of a call, as a surface has it. */
function usageOf(call: Call, surface: Surface): JsonObject {
  const stored = call.cache_write_5m_tokens + call.cache_write_1h_tokens
  const uncached = call.input_tokens + call.input_audio_tokens
  const read = uncached + call.cache_read_tokens + stored
  const output = call.output_tokens + call.thinking_tokens + call.output_image_tokens
  if (surface === 'messages')
    return {
      input_tokens: uncached,
      cache_read_input_tokens: call.cache_read_tokens,
      cache_creation_input_tokens: stored,
      output_tokens: output,
      thinking_tokens: call.thinking_tokens,
    }
  if (surface === 'native')
    return {
      promptTokenCount: read,
      cachedContentTokenCount: call.cache_read_tokens,
      candidatesTokenCount: call.output_tokens + call.output_image_tokens,
      thoughtsTokenCount: call.thinking_tokens,
      totalTokenCount: read + output,
    }
  return {
    input: read,
    cached_tokens: call.cache_read_tokens,
    cache_write_tokens: stored,
    output,
    reasoning_tokens: call.thinking_tokens,
    total_tokens: read + output,
  }
}

test('the books balance after all of these calls', async () => {
  await gateway.atRest()
})
