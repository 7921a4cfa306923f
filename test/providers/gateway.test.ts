// The first catalogue through the gateway: simulated models behave as real ones do, and are charged by their usage.
import { describe, expect, test } from 'bun:test'
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { FIRST_CATALOGUE } from '../../src/catalogue/first.ts'
import { fileGateway } from '../support/gateway.ts'
import { modelSection } from '../support/sections.ts'
import { LEAKED } from './mishaps.ts'

/** A model with one behaviour, at USD 1 per million input tokens, and 4 per million output tokens. */
const modelOf = (id: string, kind: 'text' | 'embedding', provider: string, model: string) =>
  modelSection(id, { [provider]: model }, { kind, ...(kind === 'text' ? {} : { price: 'input = 1' }) })
const MORE = [
  modelOf('sim-gemini-embedding', 'embedding', 'simulator', 'embedding'),
  modelOf('sim-embedding-silent', 'embedding', 'simulator-openai', 'embedding-nousage'),
  modelOf('sim-embedding-down', 'embedding', 'simulator-openai', 'embedding-fail-503'),
  modelOf('sim-embedding-leaking', 'embedding', 'simulator', 'embedding-leak-500'),
  modelOf('sim-claude-breaking', 'text', 'simulator-anthropic', 'claude-error-6'),
  modelOf('sim-claude-silent', 'text', 'simulator-anthropic', 'claude-nousage'),
  modelOf('sim-claude-leaking', 'text', 'simulator-anthropic', 'claude-leak-400'),
  modelOf('sim-gpt-breaking', 'text', 'simulator-openai', 'gpt-break-3'),
  modelOf('sim-gpt-silent', 'text', 'simulator-openai', 'gpt-nousage'),
  modelOf('sim-gpt-leaking', 'text', 'simulator-openai', 'gpt-leak-400'),
].join('')

const gateway = await fileGateway({ catalogue: FIRST_CATALOGUE + MORE })
// Like the key of a first start.
const apiKey = await gateway.caller('10', { models: ['sim-*'] })
const defaultHeaders = { 'anthropic-version': '2023-06-01' }
const claude = new Anthropic({ apiKey, baseURL: gateway.url.origin, defaultHeaders, maxRetries: 0 })
const gpt = new OpenAI({ apiKey, baseURL: `${gateway.url.origin}/v1`, maxRetries: 0 })

const lastCall = async () => {
  const call = await gateway.lastCall()
  if (!call) throw new Error('no call was recorded')
  return call
}
const QUESTION = [{ role: 'user' as const, content: 'Why do tides rise?' }]

test('the demo key may call every simulated model, and sees them in the list', async () => {
  const { data } = await gpt.models.list()
  expect(data.map(({ id }) => id)).toEqual(
    expect.arrayContaining(['sim-flash', 'sim-claude', 'sim-gpt', 'sim-embedding']),
  )
})

test.each(['sim-flash', 'sim-pro', 'sim-claude', 'sim-gpt'])(
  '%s answers in messages and in chat',
  async (model) => {
    const message = await claude.messages.create({ model, max_tokens: 3_000, messages: QUESTION })
    expect(message.content.some((block) => block.type === 'text')).toBe(true)
    expect(await lastCall()).toMatchObject({ model, outcome: 'completed', estimated: 0 })
    const { choices } = await gpt.chat.completions.create({ model, messages: QUESTION })
    expect(choices[0]?.message.content).toMatch(/\S/)
    expect(await lastCall()).toMatchObject({ model, outcome: 'completed', estimated: 0 })
  },
)

describe('the charge is the reported usage, to the nano-dollar', () => {
  test('sim-claude: a prompt is written to the cache, then read for a tenth of the price', async () => {
    const text = 'A long text of many words about tides. '.repeat(300)
    const system = [
      { type: 'text' as const, text, cache_control: { type: 'ephemeral' as const, ttl: '5m' as const } },
    ]
    const call = async () => {
      const { usage } = await claude.messages.create({
        model: 'sim-claude',
        max_tokens: 500,
        system,
        messages: QUESTION,
      })
      return { usage, row: await lastCall() }
    }
    const first = await call()
    const written = first.usage.cache_creation_input_tokens ?? 0
    expect(written).toBeGreaterThan(1_024)
    expect(first.row.cost_nanos).toBe(
      first.usage.input_tokens * 3_000 + written * 3_750 + first.usage.output_tokens * 15_000,
    )
    const second = await call()
    expect(second.usage).toMatchObject({ cache_read_input_tokens: written, cache_creation_input_tokens: 0 })
    expect(second.row.cost_nanos).toBe(
      second.usage.input_tokens * 3_000 + written * 300 + second.usage.output_tokens * 15_000,
    )
  })

  test('sim-gpt: reasoning is output, whole or streamed', async () => {
    const { usage } = await gpt.chat.completions.create({ model: 'sim-gpt', messages: QUESTION })
    const whole = await lastCall()
    expect(whole.cost_nanos).toBe(
      (usage?.prompt_tokens ?? 0) * 1_250 + (usage?.completion_tokens ?? 0) * 10_000,
    )
    for await (const _chunk of await gpt.chat.completions.create({
      model: 'sim-gpt',
      messages: QUESTION,
      stream: true,
    })) {
      // Read to its end.
    }
    expect(await lastCall()).toMatchObject({ streamed: 1, estimated: 0, cost_nanos: whole.cost_nanos })
  })

  test.each([
    ['sim-embedding', 1_536, 20],
    ['sim-gemini-embedding', 3_072, 1_000],
  ])('%s', async (model, dimensions, nanos) => {
    const { data, usage } = await gpt.embeddings.create({ model, input: ['the tides rise', 'winds'] })
    expect(data.map(({ embedding }) => embedding.length)).toEqual([dimensions, dimensions])
    expect(await lastCall()).toMatchObject({
      input_tokens: usage.prompt_tokens,
      estimated: 0,
      cost_nanos: usage.prompt_tokens * nanos,
    })
  })

  test('a vector of fewer dimensions has unit length, for each provider', async () => {
    for (const model of ['sim-embedding', 'sim-gemini-embedding']) {
      const { data } = await gpt.embeddings.create({ model, input: 'the tides rise', dimensions: 700 })
      expect(data[0]?.embedding).toHaveLength(700)
      expect(Math.hypot(...(data[0]?.embedding ?? []))).toBeCloseTo(1, 5)
    }
  })
})

describe('failures', () => {
  test.each(['sim-claude-silent', 'sim-gpt-silent'])(
    '%s: without usage, an estimate is charged',
    async (model) => {
      await gpt.chat.completions.create({ model, messages: QUESTION })
      const { estimated, cost_nanos } = await lastCall()
      expect(estimated).toBe(1)
      expect(cost_nanos).toBeGreaterThan(0)
    },
  )

  test('sim-embedding-silent: without usage, an estimate is charged', async () => {
    await gpt.embeddings.create({ model: 'sim-embedding-silent', input: 'sixteen letters.' })
    expect(await lastCall()).toMatchObject({ estimated: 1, input_tokens: 4, cost_nanos: 4_000 })
  })

  test.each([
    [
      'sim-claude-breaking',
      () =>
        claude.messages
          .stream({ model: 'sim-claude-breaking', max_tokens: 500, messages: QUESTION })
          .finalMessage(),
    ],
    [
      'sim-gpt-breaking',
      () =>
        gpt.chat.completions.stream({ model: 'sim-gpt-breaking', messages: QUESTION }).finalChatCompletion(),
    ],
  ])('%s: delivered output is charged, and the caller gets an error', async (model, call) => {
    expect(
      await call().then(
        () => 'completed',
        () => 'failed',
      ),
    ).toBe('failed')
    const row = await lastCall()
    expect(row).toMatchObject({ model, outcome: 'broken', estimated: 1 })
    expect(row.cost_nanos).toBeGreaterThan(0)
  })

  test('sim-embedding-down costs nothing', async () => {
    const failure = await gpt.embeddings
      .create({ model: 'sim-embedding-down', input: 'a' })
      .catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(OpenAI.APIError)
    expect(await lastCall()).toMatchObject({ outcome: 'failed', cost_nanos: 0 })
  })

  test.each(['sim-claude-leaking', 'sim-gpt-leaking', 'sim-embedding-leaking'])(
    '%s: no address and no key reaches the caller or the log',
    async (model) => {
      const call = model.includes('embedding')
        ? gpt.embeddings.create({ model, input: 'a' })
        : gpt.chat.completions.create({ model, messages: QUESTION })
      const failure = await call.then(String, String)
      await gateway.rest()
      for (const secret of LEAKED) expect(failure + gateway.log.text()).not.toContain(secret)
    },
  )

  test('a text model has no embeddings, an embedding model no chat', async () => {
    const embedding = gpt.embeddings.create({ model: 'sim-gpt', input: 'a' }).catch((error: unknown) => error)
    expect(await embedding).toBeInstanceOf(OpenAI.NotFoundError)
    const text = gpt.chat.completions.create({ model: 'sim-embedding', messages: QUESTION })
    expect(await text.catch((error: unknown) => error)).toBeInstanceOf(OpenAI.NotFoundError)
  })
})
