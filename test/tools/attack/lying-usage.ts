// Providers of each protocol with random, impossible usage reports: no call may cost more than it can have used.
import type { BuiltInProtocol } from '../../../src/protocols/registry.ts'
import { type Random, randomFrom } from '../../money/ledger/random.ts'
import { wholePath } from '../../support/native.ts'
import { type Scene, scene } from '../../support/scene.ts'
import { modelSection, providerSection } from '../../support/sections.ts'
import { whole } from '../../support/upstream.ts'
import type { Attack, Result } from './attack.ts'

const REPORTS = 600
const TEXT = 'Hello, wide world.'
const LIMIT = 100
const CONTEXT = 10_000
/** Twice the context as input and the whole limit as output, at 1,000 and 4,000 nano-dollars a token. */
const MAX_NANOS = 2 * CONTEXT * 1_000 + LIMIT * 4_000

const modelOf = (protocol: BuiltInProtocol) => `lying-${protocol}`
const providerOf = (protocol: BuiltInProtocol, url: string) =>
  providerSection(protocol, protocol, url) +
  modelSection(
    modelOf(protocol),
    { [protocol]: 'm' },
    {
      price: 'input = 1, output = 4, cache_read = 1, cache_write_5m = 1, cache_write_1h = 1',
      more: `context = ${CONTEXT}`,
    },
  )

type Counts = readonly [input: unknown, cached: unknown, output: unknown, thinking: unknown]
const messages = [{ role: 'user', content: 'Say hello.' }]
const DIALECTS: Readonly<
  Record<BuiltInProtocol, { path: string; body: object; answer(counts: Counts): object }>
> = {
  gemini: {
    path: wholePath(modelOf('gemini')),
    body: { contents: [{ parts: [{ text: 'Say hello.' }] }], generationConfig: { maxOutputTokens: LIMIT } },
    answer: ([promptTokenCount, cachedContentTokenCount, candidatesTokenCount, thoughtsTokenCount]) => ({
      candidates: [{ content: { parts: [{ text: TEXT }] }, finishReason: 'STOP' }],
      usageMetadata: { promptTokenCount, cachedContentTokenCount, candidatesTokenCount, thoughtsTokenCount },
    }),
  },
  openai: {
    path: '/v1/chat/completions',
    body: { model: modelOf('openai'), messages, max_tokens: LIMIT },
    answer: ([prompt_tokens, cached_tokens, completion_tokens, reasoning_tokens]) => ({
      choices: [{ message: { content: TEXT }, finish_reason: 'stop' }],
      usage: {
        prompt_tokens,
        completion_tokens,
        prompt_tokens_details: { cached_tokens },
        completion_tokens_details: { reasoning_tokens },
      },
    }),
  },
  anthropic: {
    path: '/v1/messages',
    body: { model: modelOf('anthropic'), messages, max_tokens: LIMIT },
    answer: ([input_tokens, cache_read_input_tokens, output_tokens, thinking_tokens]) => ({
      content: [{ type: 'text', text: TEXT }],
      stop_reason: 'end_turn',
      usage: {
        input_tokens,
        cache_read_input_tokens,
        output_tokens,
        output_tokens_details: { thinking_tokens },
      },
    }),
  },
}
const PROTOCOLS: readonly BuiltInProtocol[] = ['gemini', 'openai', 'anthropic']

/** A count of an honest or a lying provider. */
function anyCount(random: Random): unknown {
  const size = 10 ** random.below(13)
  const honest = 1 + random.below(LIMIT)
  if (random.chance(0.7)) return honest
  return random.pick<unknown>([undefined, null, 'many', {}, -size, size / 7, size, String(size), honest])
}

async function lie(s: Scene, protocol: BuiltInProtocol, random: Random): Promise<void> {
  const { path, body, answer } = DIALECTS[protocol]
  const counts: Counts = [anyCount(random), anyCount(random), anyCount(random), anyCount(random)]
  s.upstream.answer(whole(answer(counts)))
  const response = await s.call(path, body, { headers: { 'anthropic-version': '2023-06-01' } })
  if (response.status !== 200) throw new Error(`${protocol}: ${response.status} ${await response.text()}`)
  await response.text()
}

export const lyingUsage: Attack = {
  name: 'lying-usage',
  description: 'providers that report impossible usage',
  async run({ rounds }): Promise<Result> {
    await using s = await scene({
      balance_usd: '100000',
      more: (url) => PROTOCOLS.map((protocol) => providerOf(protocol, url)).join(''),
    })
    const random = randomFrom(1)
    const reports = REPORTS * rounds
    for (let at = 0; at < reports; at++) for (const protocol of PROTOCOLS) await lie(s, protocol, random)
    const { calls } = await s.gateway.atRest()
    const costs = calls.map(({ cost_nanos }) => cost_nanos)
    const free = costs.filter((cost_nanos) => cost_nanos === 0).length
    const estimated = calls.filter((call) => call.estimated === 1).length
    const highest = Math.max(...costs)
    return {
      tried: `${costs.length} reports over three protocols`,
      held: highest <= MAX_NANOS && free === 0,
      figures: `${estimated} estimated, ${free} free, the dearest call ${highest / 1e9} USD of at most ${MAX_NANOS / 1e9}`,
    }
  },
}
