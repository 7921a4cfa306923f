// Tests of the simulated messages API: shapes, usage, signed thinking, prompt caching, and error messages.
import { afterAll, describe, expect, test } from 'bun:test'
import Anthropic from '@anthropic-ai/sdk'
import { anthropic } from '../../src/protocols/anthropic/index.ts'
import { toByteString } from '../../src/protocols/wire/byte-string.ts'
import { createSimulator } from './index.ts'
import { createProvider } from './provider.ts'
import { pairs, recordedPairs } from './shapes.ts'

const VERSION = { 'anthropic-version': '2023-06-01' }
type Message = Anthropic.Message & { error?: { type: string; message: string } }
type Body = Record<string, unknown>

const user = (content: unknown) => ({ role: 'user', content })
const ask = (content: unknown = 'Why do tides rise?', more: Body = {}): Body => ({
  model: 'claude',
  max_tokens: 4_096,
  messages: [user(content)],
  ...more,
})
const THINKING = { thinking: { type: 'enabled', budget_tokens: 1_024 } }
const TOOL = { name: 'get_time', input_schema: { type: 'object', properties: { zone: { type: 'string' } } } }
const OTHER_TOOL = { ...TOOL, name: 'get_rain' }

function createClaude() {
  const provider = createProvider()
  const post = (body: unknown, path = '/v1/messages', headers: Record<string, string> = VERSION, init = {}) =>
    provider.fetch(
      new Request(`http://provider${path}`, { method: 'POST', headers, body: JSON.stringify(body), ...init }),
    )
  return {
    ...provider,
    post,
    whole: async (body: Body) => (await (await post(body)).json()) as Message,
    events: async (body: Body) => eventsOf(await (await post({ ...body, stream: true })).text()),
  }
}

interface Event {
  name: string
  data: Body & { type: string }
}
const eventsOf = (text: string): Event[] =>
  text
    .split('\n\n')
    .filter((record) => record !== '')
    .map((record) => {
      const [, name = '', data = ''] = /^event: (.*)\ndata: (.*)$/.exec(record) ?? []
      return { name, data: JSON.parse(data) }
    })

describe('shapes match the recordings: the same names, in the same order', () => {
  const recorded = recordedPairs('anthropic')
  test.each<[name: string, body: Body]>([
    ['text', ask()],
    ['thinking', ask('Tides?', THINKING)],
    ['tools', ask('get_time and get_rain', { tools: [TOOL, OTHER_TOOL] })],
    ['a limit', ask('Tides?', { max_tokens: 3 })],
    ['a refusal', ask('Tides?', { model: 'claude-safety' })],
    ['a block', ask('Tides?', { model: 'claude-block' })],
    ['an error in a stream', ask('Tides?', { model: 'claude-error-4' })],
  ])('%s', async (_name, body) => {
    const claude = createClaude()
    const events = (await claude.events(body)).map(({ data }) => data)
    const unexpected = [await claude.whole(body), ...events].flatMap((answer) => pairs(answer))
    expect(unexpected.filter((pair) => !recorded.has(pair) && !pair.includes('request_id'))).toEqual([])
  })
})

describe('streams', () => {
  test('every event has its name, and a ping comes early', async () => {
    const events = await createClaude().events(ask('get_time', { ...THINKING, tools: [TOOL] }))
    for (const { name, data } of events) expect(name).toBe(data.type)
    const names = events.map(({ name }) => name)
    expect(names.slice(0, 3)).toEqual(['message_start', 'content_block_start', 'ping'])
    expect(names.slice(-2)).toEqual(['message_delta', 'message_stop'])
    const starts = names.filter((name) => name === 'content_block_start').length
    expect(names.filter((name) => name === 'content_block_stop')).toHaveLength(starts)
  })

  test.each<[name: string, body: Body]>([
    ['text', ask()],
    ['thinking', ask('Why do tides rise?', THINKING)],
    ['hidden thinking', ask('Tides?', { thinking: { ...THINKING.thinking, display: 'omitted' } })],
    ['several tools', ask('get_time and get_rain', { tools: [TOOL, OTHER_TOOL] })],
    ['a limit', ask('Tides?', { max_tokens: 5 })],
  ])(
    '%s: a stream adds up to the whole answer, and the gateway reads the same usage',
    async (_name, body) => {
      const claude = createClaude()
      const whole = await claude.whole(body)
      const events = await claude.events(body)
      const reading = anthropic.text.stream.open()
      for (const { data } of events) reading.read(toByteString(Buffer.from(JSON.stringify(data))))
      expect(reading.finished).toBe(true)
      expect(reading.usage()).toEqual(anthropic.text.readUsage(JSON.parse(JSON.stringify(whole))))
      const deltas = events
        .filter(({ name }) => name === 'content_block_delta')
        .map(({ data }) => data.delta as Body)
      const joined = (type: string, field: string) =>
        deltas
          .filter((delta) => delta.type === type)
          .map((delta) => delta[field])
          .join('')
      const blocks = JSON.parse(JSON.stringify(whole.content)) as Body[]
      expect(joined('text_delta', 'text')).toBe(blocks.map(({ text }) => text ?? '').join(''))
      expect(joined('thinking_delta', 'thinking')).toBe(blocks.map(({ thinking }) => thinking ?? '').join(''))
      expect(joined('signature_delta', 'signature')).toBe(
        blocks.map(({ signature }) => signature ?? '').join(''),
      )
      expect(joined('input_json_delta', 'partial_json')).toBe(
        blocks.map(({ input }) => (input ? JSON.stringify(input) : '')).join(''),
      )
    },
  )

  test('the gateway reads the usage that the simulator counts', async () => {
    const claude = createClaude()
    const usage = anthropic.text.readUsage(
      JSON.parse(JSON.stringify(await claude.whole(ask('Tides?', THINKING)))),
    )
    const finished = claude.seen.at(-1)
    if (finished?.kind !== 'finished') throw new Error('was not finished')
    expect(usage).toMatchObject({
      input_tokens: finished.totals.prompt,
      output_tokens: finished.totals.output,
      thinking_tokens: finished.totals.thinking,
    })
  })

  test('events-N streams N events', async () => {
    expect(await createClaude().events(ask('Tides?', { model: 'claude-events-60' }))).toHaveLength(60)
  })

  test.each([0, 1, 3, 9])('break-%i breaks after that many events', async (count) => {
    const response = await createClaude().post(
      ask('Tides?', { model: `claude-break-${count}`, stream: true }),
    )
    let text = ''
    const read = async () => {
      for await (const bytes of response.body ?? []) text += Buffer.from(bytes).toString()
    }
    await expect(read()).rejects.toThrow()
    expect(eventsOf(text)).toHaveLength(count)
  })

  test('error-N ends with an event named error, of type overloaded_error', async () => {
    const events = await createClaude().events(ask('Tides?', { model: 'claude-error-4' }))
    expect(events).toHaveLength(5)
    expect(events.at(-1)).toMatchObject({ name: 'error', data: { error: { type: 'overloaded_error' } } })
  })

  test('nousage and zerousage', async () => {
    const claude = createClaude()
    expect(JSON.stringify(await claude.events(ask('Tides?', { model: 'claude-nousage' })))).not.toContain(
      '"usage"',
    )
    const { usage } = await claude.whole(ask('Tides?', { model: 'claude-zerousage' }))
    expect(usage).toMatchObject({ input_tokens: 0, output_tokens: 0 })
  })
})

describe('answers', () => {
  test.each<[name: string, body: Body, stop: object]>([
    ['the end', ask(), { stop_reason: 'end_turn', stop_sequence: null }],
    ['the limit', ask('Tides?', { max_tokens: 3 }), { stop_reason: 'max_tokens', stop_sequence: null }],
    [
      'a stop sequence',
      ask('Tides?', { stop_sequences: ['zz', '.'] }),
      { stop_reason: 'stop_sequence', stop_sequence: '.' },
    ],
    ['a tool', ask('get_time', { tools: [TOOL] }), { stop_reason: 'tool_use', stop_sequence: null }],
    ['safety', ask('Tides?', { model: 'claude-safety' }), { stop_reason: 'refusal', stop_sequence: null }],
    ['a blocked prompt', ask('SIMULATE_BLOCK'), { stop_reason: 'refusal', content: [] }],
  ])('stop reasons: %s', async (_name, body, stop) => {
    expect(await createClaude().whole(body)).toMatchObject(stop)
  })

  test('thinks only on request', async () => {
    const claude = createClaude()
    const kinds = async (more: Body) =>
      (await claude.whole(ask('Tides?', more))).content.map(({ type }) => type)
    expect(await kinds({})).toEqual(['text'])
    expect(await kinds({ thinking: { type: 'disabled' } })).toEqual(['text'])
    expect(await kinds(THINKING)).toEqual(['thinking', 'text'])
    expect(await kinds({ thinking: { type: 'adaptive' } })).toEqual(['thinking', 'text'])
    expect(await kinds({ ...THINKING, model: 'claude-lite' })).toEqual(['text'])
  })

  test('follows a schema', async () => {
    const schema = { type: 'object', properties: { height: { type: 'integer', minimum: 3, maximum: 3 } } }
    const { content } = await createClaude().whole(
      ask('Tides?', { output_config: { format: { type: 'json_schema', schema } } }),
    )
    expect(content).toMatchObject([{ type: 'text', text: '{"height":3}' }])
  })

  test.each<[name: string, choice: Body | undefined, names: string[]]>([
    ['all mentioned ones', undefined, ['get_time', 'get_rain']],
    ['one at a time', { type: 'auto', disable_parallel_tool_use: true }, ['get_time']],
    ['the named one', { type: 'tool', name: 'get_rain' }, ['get_rain']],
    ['none', { type: 'none' }, []],
  ])('tools: %s', async (_name, tool_choice, names) => {
    const { content } = await createClaude().whole(
      ask('get_time and get_rain', { tools: [TOOL, OTHER_TOOL], ...(tool_choice ? { tool_choice } : {}) }),
    )
    const uses = content.filter((block) => block.type === 'tool_use')
    expect(uses.map(({ name }) => name)).toEqual(names)
    expect(new Set(uses.map(({ id }) => id)).size).toBe(names.length)
  })

  test('uses the results of tools in the next turn, with thinking sent back', async () => {
    const claude = createClaude()
    const more = { ...THINKING, tools: [TOOL] }
    const first = await claude.whole(ask('get_time', more))
    const use = first.content.find((block) => block.type === 'tool_use')
    const messages = [
      user('get_time'),
      { role: 'assistant', content: first.content },
      user([{ type: 'tool_result', tool_use_id: use?.id, content: 'half past nine' }]),
    ]
    const second = await claude.whole({ ...ask('', more), messages })
    expect(second.content.at(-1)).toMatchObject({ text: expect.stringContaining('half past nine') })
  })

  test('counts images and documents', async () => {
    const claude = createClaude()
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } }
    const tokens = async (content: unknown) => (await claude.whole(ask(content))).usage.input_tokens
    const text = { type: 'text', text: 'Tides?' }
    const bare = await tokens([text])
    expect(await tokens([image, text])).toBe(bare + 258)
    expect(
      await tokens([{ type: 'document', source: { type: 'url', url: 'https://example.com/a.pdf' } }, text]),
    ).toBe(bare + 258)
  })

  test('counts tokens as it bills them, and needs no output limit for that', async () => {
    const claude = createClaude()
    const body = {
      model: 'claude',
      system: 'Be brief.',
      tools: [TOOL],
      messages: [user('Why do tides rise?')],
    }
    const counted = await (await claude.post(body, '/v1/messages/count_tokens')).json()
    const { usage } = await claude.whole({ ...body, max_tokens: 10 })
    expect(counted).toEqual({ input_tokens: usage.input_tokens })
  })
})

describe('prompt caching', () => {
  const LONG = 'A long text of many words about tides. '.repeat(400)
  const cached = (text: string, ttl?: string) => ({
    type: 'text',
    text,
    cache_control: { type: 'ephemeral', ...(ttl ? { ttl } : {}) },
  })
  const usageOf = ({ usage }: Message) => ({
    read: usage.cache_read_input_tokens,
    in_5m: usage.cache_creation?.ephemeral_5m_input_tokens,
    in_1h: usage.cache_creation?.ephemeral_1h_input_tokens,
    all: usage.input_tokens + (usage.cache_read_input_tokens ?? 0) + (usage.cache_creation_input_tokens ?? 0),
  })

  test('a prefix is written once, then read; the sum stays the same', async () => {
    const claude = createClaude()
    const body = ask('Tides?', { system: [cached(LONG)] })
    const first = usageOf(await claude.whole(body))
    const second = usageOf(await claude.whole(body))
    expect(first).toMatchObject({ read: 0, in_1h: 0 })
    expect(first.in_5m).toBeGreaterThan(1_024)
    expect(second).toEqual({ ...first, read: first.in_5m ?? 0, in_5m: 0 })
  })

  test('a block marked for an hour is written for an hour, the next one for its own time', async () => {
    const claude = createClaude()
    const usage = usageOf(await claude.whole(ask([cached(LONG)], { system: [cached(LONG, '1h')] })))
    expect(usage.in_1h).toBeGreaterThan(1_024)
    expect(usage.in_5m).toBeGreaterThan(1_024)
  })

  test('a growing conversation reads what it wrote before', async () => {
    const claude = createClaude()
    const first = usageOf(await claude.whole(ask([cached(LONG)])))
    const messages = [user([cached(LONG)]), { role: 'assistant', content: 'Indeed.' }, user([cached(LONG)])]
    const second = usageOf(await claude.whole({ ...ask(), messages }))
    expect(second.read).toBe(first.in_5m ?? 0)
    expect(second.in_5m).toBeGreaterThan(1_024)
  })

  test.each<[name: string, body: Body]>([
    ['another text', ask('Tides?', { system: [cached(`Other. ${LONG}`)] })],
    ['another model', ask('Tides?', { system: [cached(LONG)], model: 'claude-2' })],
    ['other tools before it', ask('Tides?', { system: [cached(LONG)], tools: [TOOL] })],
    ['no cache_control', ask('Tides?', { system: LONG })],
  ])('%s misses the cache', async (_name, body) => {
    const claude = createClaude()
    await claude.whole(ask('Tides?', { system: [cached(LONG)] }))
    expect(usageOf(await claude.whole(body)).read).toBe(0)
  })

  test('a short prompt is not cached', async () => {
    const claude = createClaude()
    const body = ask([cached('A short text.')])
    await claude.whole(body)
    expect(usageOf(await claude.whole(body))).toMatchObject({ read: 0, in_5m: 0 })
  })

  test('an entry expires after its time', async () => {
    let at_ms = 0
    const simulator = createSimulator({ now: () => at_ms, sleep: async () => {} })
    const read = async () => {
      const body = JSON.stringify(ask('Tides?', { system: [cached(LONG)] }))
      const request = new Request('http://provider/v1/messages', { method: 'POST', headers: VERSION, body })
      return usageOf((await (await simulator.fetch(request)).json()) as Message).read
    }
    expect(await read()).toBe(0)
    at_ms = 299_999
    expect(await read()).toBeGreaterThan(0)
    at_ms += 300_000
    expect(await read()).toBe(0)
  })
})

describe('refusals', () => {
  const use = { type: 'tool_use', id: 'toolu_1', name: 'get_time', input: {} }
  const result = { type: 'tool_result', tool_use_id: 'toolu_1', content: 'nine' }
  const turns = (...contents: unknown[]) =>
    ask('', {
      tools: [TOOL],
      messages: contents.map((content, at) => ({ role: at % 2 === 0 ? 'user' : 'assistant', content })),
    })
  const forged = Buffer.from('simulated.abc.def').toString('base64')

  test.each<[name: string, body: Body, message: RegExp]>([
    ['no model', { ...ask(), model: undefined }, /^model: Field required/],
    ['no limit', { ...ask(), max_tokens: undefined }, /^max_tokens: Field required/],
    ['a limit of zero', ask('a', { max_tokens: 0 }), /^max_tokens: /],
    ['a fractional limit', ask('a', { max_tokens: 1.5 }), /^max_tokens: /],
    ['no messages', { ...ask(), messages: undefined }, /^messages: Field required/],
    ['empty messages', ask('a', { messages: [] }), /^messages: at least one/],
    [
      'a system message first',
      ask('a', { messages: [{ role: 'system', content: 'a' }] }),
      /^messages\.0\.role/,
    ],
    ['another role', ask('a', { messages: [{ role: 'tool', content: 'a' }] }), /^messages\.0\.role/],
    ['an answer first', ask('a', { messages: [{ role: 'assistant', content: 'a' }] }), /first message/],
    ['an empty message', turns('a', [], 'b'), /non-empty content/],
    ['an empty text', ask([{ type: 'text', text: '' }]), /non-empty/],
    ['a tool without a schema', ask('a', { tools: [{ name: 'x' }] }), /^tools\.0/],
    ['a tool without a proper name', ask('a', { tools: [{ ...TOOL, name: 'a b' }] }), /^tools\.0/],
    [
      'a picture of another type',
      ask([{ type: 'image', source: { type: 'base64', media_type: 'image/heic', data: 'A' } }]),
      /media_type/,
    ],
    [
      'too small a budget',
      ask('a', { thinking: { type: 'enabled', budget_tokens: 1_023 } }),
      /greater than or equal to 1024/,
    ],
    [
      'a budget over the limit',
      ask('a', { thinking: { type: 'enabled', budget_tokens: 4_096 } }),
      /`max_tokens` must be greater/,
    ],
    [
      'thinking with a forced tool',
      ask('a', { ...THINKING, tools: [TOOL], tool_choice: { type: 'any' } }),
      /tool_choice forces/,
    ],
    ['a call without its result', turns('a', [use], 'b'), /^messages\.1: `tool_use` ids.*toolu_1/],
    ['a call at the end', turns('a', [use]), /^messages\.1: `tool_use` ids/],
    ['a result without its call', turns([result]), /unexpected `tool_use_id`.*toolu_1/],
    ['a result a turn late', turns('a', [use], [result], 'b', [result]), /unexpected `tool_use_id`/],
    [
      'thinking left out before a result',
      { ...turns('a', [use], [result]), ...THINKING },
      /Expected `thinking`/,
    ],
    [
      'thinking without a signature',
      turns('a', [{ type: 'thinking', thinking: 'Hm.' }], 'b'),
      /^messages\.1\.content\.0\.thinking\.signature: Field required/,
    ],
    [
      'a made-up signature',
      turns('a', [{ type: 'thinking', thinking: 'Hm.', signature: forged }], 'b'),
      /Invalid `signature`/,
    ],
    [
      'a signature of another provider',
      turns('a', [{ type: 'thinking', thinking: '', signature: 'Z2VtaW5p' }], 'b'),
      /Invalid `signature`/,
    ],
    [
      'five blocks with cache_control',
      ask(
        Array.from({ length: 5 }, () => ({ type: 'text', text: 'a', cache_control: { type: 'ephemeral' } })),
      ),
      /maximum of 4/,
    ],
  ])('400: %s', async (_name, body, message) => {
    const response = await createClaude().post(body)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      type: 'error',
      error: { type: 'invalid_request_error', message: expect.stringMatching(message) },
    })
  })

  test('changed thinking is refused on the next turn, unchanged thinking is accepted', async () => {
    const claude = createClaude()
    const { content } = await claude.whole(ask('Tides?', THINKING))
    const next = (blocks: unknown) =>
      claude.post({
        ...ask('', THINKING),
        messages: [user('Tides?'), { role: 'assistant', content: blocks }, user('Go on.')],
      })
    expect((await next(content)).status).toBe(200)
    const changed = content.map((block) =>
      block.type === 'thinking' ? { ...block, thinking: `${block.thinking}!` } : block,
    )
    expect((await next(changed)).status).toBe(400)
  })

  test.each([
    ['fail-400', 400, 'invalid_request_error', 'bad_request'],
    ['fail-401', 401, 'authentication_error', 'bad_key'],
    ['fail-403', 403, 'permission_error', 'bad_key'],
    ['fail-404', 404, 'not_found_error', 'upstream_error'],
    ['fail-413', 413, 'request_too_large', 'bad_request'],
    ['fail-429', 429, 'rate_limit_error', 'rate_limited'],
    ['fail-500', 500, 'api_error', 'upstream_error'],
    ['fail-529', 529, 'overloaded_error', 'overloaded'],
    ['fail-', 404, 'not_found_error', 'upstream_error'],
  ])('claude-%s', async (behaviour, status, type, failure_class) => {
    const response = await createClaude().post(ask('Tides?', { model: `claude-${behaviour}` }))
    const text = await response.text()
    expect([response.status, JSON.parse(text).error.type]).toEqual([status, type])
    expect(anthropic.readFailure(status, response.headers, text).failure_class).toBe(
      failure_class as 'bad_key',
    )
    if (status === 429) expect(anthropic.readFailure(status, response.headers, text).retry_after_s).toBe(7)
  })

  test('a bad key is 401; no version and no JSON are 400', async () => {
    const claude = createClaude()
    const bad = await claude.post(ask(), '/v1/messages', { ...VERSION, 'x-api-key': 'bad-key' })
    expect([bad.status, ((await bad.json()) as Message).error?.type]).toEqual([401, 'authentication_error'])
    expect((await claude.post(ask(), '/v1/messages', {})).status).toBe(400)
    expect((await claude.post(ask(), '/v1/messages', VERSION, { body: '{' })).status).toBe(400)
  })
})

describe("Anthropic's SDK, over a real socket", () => {
  const simulator = createSimulator()
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: simulator.fetch })
  afterAll(() => server.stop(true))
  const sdk = new Anthropic({ apiKey: 'key', baseURL: server.url.origin, maxRetries: 0 })
  const question = { max_tokens: 2_048, messages: [{ role: 'user' as const, content: 'Why do tides rise?' }] }

  test('whole and streamed answers are the same', async () => {
    const whole = await sdk.messages.create({ model: 'claude', ...question })
    const streamed = await sdk.messages.stream({ model: 'claude', ...question }).finalMessage()
    expect<unknown>(streamed.content).toEqual(whole.content)
    expect(streamed.usage.output_tokens).toBe(whole.usage.output_tokens)
  })

  test('refusals are errors of their classes, in a stream too', async () => {
    const failing = (model: string) =>
      sdk.messages.create({ model, ...question }).catch((error: unknown) => error)
    expect(await failing('claude-fail-429')).toBeInstanceOf(Anthropic.RateLimitError)
    expect(await failing('claude-fail-529')).toBeInstanceOf(Anthropic.InternalServerError)
    const stream = sdk.messages.stream({ model: 'claude-error-3', ...question }).finalMessage()
    expect(await stream.catch((error: unknown) => error)).toBeInstanceOf(Anthropic.APIError)
  })
})
