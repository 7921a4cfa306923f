// Usage reports that cannot be true, over three protocols, whole and streamed: one table of cases (silent.md, Streams whose
// caller left: "that is no usage either, for any protocol: estimated, marked, logged").
import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { BuiltInProtocol } from '../../src/protocols/registry.ts'
import { streamPath, wholePath } from '../support/native.ts'
import {
  CACHE_READ_NANOS,
  INPUT_NANOS,
  MODELS,
  OUTPUT_NANOS,
  PROTOCOLS,
  threeProviders,
} from '../support/three-providers.ts'
import { type Answer, stream, whole } from '../support/upstream.ts'

setDefaultTimeout(60_000)
const { gateway, upstream, lastCall, upstreamBody, ...scene } = await threeProviders()
const call = (path: string, body: object) =>
  scene.call(path, body, { headers: { 'anthropic-version': '2023-06-01' } })

const TEXT = 'Hello, wide world.'
/** Three tokens for the ten characters of the request, five for the eighteen of the answer. */
const ESTIMATE = { input_tokens: 3, output_tokens: 5 }
const ESTIMATE_NANOS = 3 * INPUT_NANOS + 5 * OUTPUT_NANOS
const LIMIT = 100
const CONTEXT = 1_048_576

/** A provider's counts; undefined ones are left out. */
interface Report {
  input?: unknown
  output?: unknown
  /** A part of the input, in protocols that count it so. */
  cached?: unknown
}

interface Dialect {
  path(streamed: boolean): string
  ask(streamed: boolean): object
  /** The usage as this protocol writes it. */
  usage(report: Report): object
  whole(usage: object): object
  /** The events of a stream, as text. */
  events(usage: object): string
  /** The input and output tokens in an answer to a caller. */
  countsOf(answer: Record<string, unknown>): unknown
}

const data = (...payloads: readonly object[]) =>
  payloads.map((payload) => `data: ${JSON.stringify(payload)}\n\n`).join('')
const named = (...payloads: readonly { type: string }[]) =>
  payloads.map((payload) => `event: ${payload.type}\ndata: ${JSON.stringify(payload)}\n\n`).join('')
const messages = [{ role: 'user', content: 'Say hello.' }]

const DIALECTS: Readonly<Record<BuiltInProtocol, Dialect>> = {
  gemini: {
    path: (streamed) => (streamed ? streamPath(MODELS.gemini) : wholePath(MODELS.gemini)),
    ask: () => ({
      contents: [{ role: 'user', parts: [{ text: 'Say hello.' }] }],
      generationConfig: { maxOutputTokens: LIMIT },
    }),
    usage: ({ input, output, cached }) => ({
      promptTokenCount: input,
      candidatesTokenCount: output,
      cachedContentTokenCount: cached,
    }),
    whole: (usageMetadata) => ({
      candidates: [{ content: { role: 'model', parts: [{ text: TEXT }] }, finishReason: 'STOP', index: 0 }],
      usageMetadata,
    }),
    events: (usageMetadata) =>
      data(
        { candidates: [{ content: { role: 'model', parts: [{ text: TEXT }] }, index: 0 }] },
        {
          candidates: [{ content: { role: 'model', parts: [] }, finishReason: 'STOP', index: 0 }],
          usageMetadata,
        },
      ),
    countsOf: ({ usageMetadata }) => {
      const { promptTokenCount, candidatesTokenCount } = (usageMetadata ?? {}) as Record<string, unknown>
      return [promptTokenCount, candidatesTokenCount]
    },
  },
  openai: {
    path: () => '/v1/chat/completions',
    ask: (streamed) => ({
      model: MODELS.openai,
      messages,
      max_completion_tokens: LIMIT,
      ...(streamed ? { stream: true, stream_options: { include_usage: true } } : {}),
    }),
    usage: ({ input, output, cached }) => ({
      prompt_tokens: input,
      completion_tokens: output,
      ...(cached === undefined ? {} : { prompt_tokens_details: { cached_tokens: cached } }),
    }),
    whole: (usage) => ({
      object: 'chat.completion',
      choices: [{ index: 0, message: { role: 'assistant', content: TEXT }, finish_reason: 'stop' }],
      usage,
    }),
    events: (usage) =>
      `${data(
        { choices: [{ index: 0, delta: { content: TEXT }, finish_reason: null }], usage: null },
        { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage: null },
        { choices: [], usage },
      )}data: [DONE]\n\n`,
    countsOf: ({ usage }) => {
      const { prompt_tokens, completion_tokens } = (usage ?? {}) as Record<string, unknown>
      return [prompt_tokens, completion_tokens]
    },
  },
  anthropic: {
    path: () => '/v1/messages',
    ask: (stream) => ({ model: MODELS.anthropic, max_tokens: LIMIT, messages, stream }),
    usage: ({ input, output, cached }) => ({
      input_tokens: input,
      output_tokens: output,
      // Cached tokens are not part of the input here: more written for an hour than in all is the contradiction.
      ...(cached === undefined
        ? {}
        : { cache_creation_input_tokens: input, cache_creation: { ephemeral_1h_input_tokens: cached } }),
    }),
    whole: (usage) => ({
      type: 'message',
      role: 'assistant',
      content: [{ type: 'text', text: TEXT }],
      stop_reason: 'end_turn',
      usage,
    }),
    events: (usage) =>
      named(
        { type: 'message_start', ...{ message: { type: 'message', role: 'assistant', content: [], usage } } },
        { type: 'content_block_start', ...{ index: 0, content_block: { type: 'text', text: '' } } },
        { type: 'content_block_delta', ...{ index: 0, delta: { type: 'text_delta', text: TEXT } } },
        { type: 'content_block_stop', ...{ index: 0 } },
        { type: 'message_delta', ...{ delta: { stop_reason: 'end_turn' }, usage } },
        { type: 'message_stop' },
      ),
    countsOf: ({ usage }) => {
      const { input_tokens, output_tokens } = (usage ?? {}) as Record<string, unknown>
      return [input_tokens, output_tokens]
    },
  },
}

/** The result of a report: doubted (logged and estimated), absent (estimated), or charged. */
type Verdict = 'doubted' | 'absent' | { cost_nanos: number }

const CASES: readonly (readonly [string, Report, Verdict])[] = [
  ['an ordinary report', { input: 10, output: 5 }, { cost_nanos: 10 * INPUT_NANOS + 5 * OUTPUT_NANOS }],
  ['counts as text', { input: '10', output: '5' }, { cost_nanos: 10 * INPUT_NANOS + 5 * OUTPUT_NANOS }],
  ['zero', { input: 0, output: 0 }, { cost_nanos: 0 }],
  ['all that was allowed', { input: 1, output: LIMIT }, { cost_nanos: INPUT_NANOS + LIMIT * OUTPUT_NANOS }],
  ['nothing', {}, 'absent'],
  ['null', { input: null, output: null }, 'absent'],
  ['negative output', { input: 10, output: -5 }, 'doubted'],
  ['negative input', { input: -10, output: 5 }, 'doubted'],
  ['negative counts', { input: -10, output: -5 }, 'doubted'],
  ['fractions', { input: 1.5, output: 5 }, 'doubted'],
  ['words', { input: 'ten', output: 5 }, 'doubted'],
  ['objects', { input: {}, output: [] }, 'doubted'],
  ['more cached than read', { input: 10, output: 5, cached: 1_000_000_000 }, 'doubted'],
  ['more output than was allowed', { input: 10, output: LIMIT + 1 }, 'doubted'],
  ['250 million tokens of output', { input: 10, output: 250_000_000 }, 'doubted'],
  ['more input than twice the context', { input: 2 * CONTEXT + 1, output: 5 }, 'doubted'],
  ['a billion tokens of input', { input: 1_000_000_000, output: 5 }, 'doubted'],
]

const DOUBT = 'an invalid usage report was ignored; charged by estimate'
const doubts = () => gateway.log.lines().filter(({ message }) => message === DOUBT)

/** The counts of a whole answer, or of the last event in a stream that has any. */
function lastCounts(text: string, { countsOf }: Dialect): unknown {
  const answers = text.startsWith('{')
    ? [text]
    : text.split(/\n+/).flatMap((line) => (line.startsWith('data: {') ? [line.slice(6)] : []))
  return answers
    .map((answer) => countsOf(JSON.parse(answer)))
    .findLast(
      (counts) => Array.isArray(counts) && counts.some((count) => count !== undefined && count !== null),
    )
}

for (const protocol of PROTOCOLS) {
  const dialect = DIALECTS[protocol]
  const HOW: readonly (readonly [string, boolean, (usage: object) => Answer])[] = [
    ['whole', false, (usage) => whole(dialect.whole(usage))],
    ['streamed', true, (usage) => stream({ send: dialect.events(usage) })],
  ]
  for (const [how, streamed, answer] of HOW) {
    describe(`${protocol}, ${how}`, () => {
      test.each(CASES)('%s', async (_name, report, verdict) => {
        const before = doubts().length
        upstream.answer(answer(dialect.usage(report)))
        const response = await call(dialect.path(streamed), dialect.ask(streamed))
        const text = await response.text()
        expect(text).toContain(TEXT)
        const record = await lastCall()
        expect(doubts().length - before).toBe(verdict === 'doubted' ? 1 : 0)
        if (typeof verdict === 'object') {
          expect(record).toMatchObject({ ...verdict, estimated: 0, outcome: 'completed' })
          return
        }
        const estimated = { ...ESTIMATE, cost_nanos: ESTIMATE_NANOS, estimated: 1, outcome: 'completed' }
        expect(record).toMatchObject(estimated)
        const counts = lastCounts(text, dialect)
        if (verdict === 'doubted') {
          expect(counts).toEqual([ESTIMATE.input_tokens, ESTIMATE.output_tokens])
          const { request_id } = record
          expect(doubts().at(-1)).toMatchObject({ level: 'warn', request_id, provider: protocol })
        } else expect(counts).toBeUndefined()
      })
    })
  }
}

describe('a caller of another protocol gets the usage that is billed', () => {
  test.each(['whole', 'streamed'])('%s', async (how) => {
    const { usage, whole: wholeOf, events } = DIALECTS.gemini
    const lie = usage({ input: 10, output: 250_000_000 })
    upstream.answer(how === 'whole' ? whole(wholeOf(lie)) : stream({ send: events(lie) }))
    const { path, ask } = DIALECTS.anthropic
    const body = { ...ask(how === 'streamed'), model: MODELS.gemini }
    const text = await (await call(path(how === 'streamed'), body)).text()
    expect(await lastCall()).toMatchObject({ cost_nanos: ESTIMATE_NANOS, estimated: 1 })
    expect(text).not.toContain('250000000')
    expect(lastCounts(text, DIALECTS.anthropic)).toEqual([3, 5])
  })
})

describe('without a limit from the caller', () => {
  const ask = { contents: [{ role: 'user', parts: [{ text: 'Say hello.' }] }] }

  test('a provider that got no limit may report up to twice the context', async () => {
    const { usage, whole: wholeOf } = DIALECTS.gemini
    for (const [output, estimated] of [
      [2 * CONTEXT, 0],
      [2 * CONTEXT + 1, 1],
    ] as const) {
      upstream.answer(whole(wholeOf(usage({ input: 10, output }))))
      await (await call(wholePath(MODELS.gemini), ask)).text()
      expect(await lastCall()).toMatchObject({ estimated })
    }
  })

  test("a provider that got the model's limit, which Anthropic requires, may report up to that limit", async () => {
    const { usage, whole: wholeOf } = DIALECTS.anthropic
    for (const [output, estimated] of [
      [16_384, 0],
      [16_385, 1],
    ] as const) {
      upstream.answer(whole(wholeOf(usage({ input: 10, output }))))
      await (await call(wholePath(MODELS.anthropic), ask)).text()
      expect(upstreamBody()).toMatchObject({ max_tokens: 16_384 })
      expect(await lastCall()).toMatchObject({ estimated })
    }
  })
})

describe('each candidate may be as long as the limit', () => {
  test.each([
    [2 * LIMIT, 0],
    [2 * LIMIT + 1, 1],
  ])('%d tokens for two of them: estimated %d', async (output, estimated) => {
    const { usage, whole: wholeOf, path, ask } = DIALECTS.openai
    upstream.answer(whole(wholeOf(usage({ input: 10, output }))))
    await (await call(path(false), { ...ask(false), n: 2 })).text()
    expect(await lastCall()).toMatchObject({ estimated })
  })
})

test('cached tokens within the input are charged at their own price', async () => {
  const { usage, whole: wholeOf, path, ask } = DIALECTS.gemini
  upstream.answer(whole(wholeOf(usage({ input: 10, output: 5, cached: 10 }))))
  await (await call(path(false), ask(false))).text()
  expect(await lastCall()).toMatchObject({
    cost_nanos: 10 * CACHE_READ_NANOS + 5 * OUTPUT_NANOS,
    estimated: 0,
  })
})
