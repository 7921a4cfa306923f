// A toy protocol (issue: "Adding a protocol edits one old file; a test shows it by adding a toy one"): only the registry knows it.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readCatalogue } from '../../../src/catalogue/load.ts'
import { GatewayError } from '../../../src/domain/errors.ts'
import type { AnswerContext } from '../../../src/protocols/canonical/answer.ts'
import type { Protocol } from '../../../src/protocols/protocol.ts'
import { BUILT_IN_PROTOCOLS, BUILT_IN_REGISTRY, registryOf } from '../../../src/protocols/registry.ts'
import type { JsonObject } from '../../../src/protocols/wire/json.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway.ts'
import { modelSection } from '../../support/sections.ts'
import { events, startUpstream, type Upstream, whole } from '../../support/upstream.ts'
import { toy } from './index.ts'

const PROTOCOLS = registryOf([...BUILT_IN_REGISTRY.values(), toy])
const { openai, gemini, anthropic } = BUILT_IN_PROTOCOLS

const catalogueFor = (base_url: string, kind: string, price: string): string =>
  `[[providers]]\nname = "toys"\nprotocol = "toy"\nbase_url = "${base_url}"\n` +
  modelSection('bear', { toys: 'teddy' }, { kind, price })
const TEXT_PRICE = 'input = 1, output = 4'

describe('the catalogue', () => {
  const read = (text: string, protocols: typeof PROTOCOLS) => {
    const reading = readCatalogue(text, { env: {}, protocols })
    return reading.ok ? [] : reading.mistakes.map(({ path, message }) => `${path}: ${message}`)
  }

  test('accepts a provider of it, without a key over http', () => {
    expect(read(catalogueFor('http://127.0.0.1:1', 'text', TEXT_PRICE), PROTOCOLS)).toEqual([])
  })
  test('demands a key over https', () => {
    expect(read(catalogueFor('https://toys.example', 'text', TEXT_PRICE), PROTOCOLS)[0]).toStartWith(
      'providers[0].api_keys: is missing',
    )
  })
  test('refuses kinds of models that it does not have', () => {
    expect(read(catalogueFor('simulator', 'image', 'per_image = 1'), PROTOCOLS)).toEqual([
      'models[0].routes[0].provider: must be a provider of another protocol: "toy" has no image models',
    ])
  })
  test('lists the known protocols if it is not in the registry', () => {
    expect(read(catalogueFor('simulator', 'text', TEXT_PRICE), BUILT_IN_REGISTRY)).toEqual([
      'providers[0].protocol: must be one of "gemini", "anthropic" or "openai"',
    ])
  })
})

const CONTEXT: AnswerContext = { id: 'call-1', model: 'bear', created_s: 1, shows_usage: true }
const TARGET = { model: 'teddy', max_output_tokens: 100 }

const translate = (from: Protocol, to: Protocol, body: JsonObject): JsonObject =>
  to.text.encodeRequest(from.text.decodeRequest(body, false), TARGET)

const streamed = (from: Protocol, to: Protocol, payloads: readonly string[]): string[] => {
  const decoder = from.text.createStreamDecoder(CONTEXT.id)
  const encoder = to.text.createStreamEncoder(CONTEXT)
  return [...payloads.flatMap((payload) => decoder.decode(payload)), ...decoder.finish()]
    .flatMap((event) => encoder.encode(event))
    .map(({ data }) => data)
}

function refusedField(from: Protocol, to: Protocol, body: JsonObject): string | undefined {
  try {
    translate(from, to, body)
  } catch (thrown) {
    if (thrown instanceof GatewayError) return thrown.param
    throw thrown
  }
  return undefined
}

const CHAT = { model: 'bear', messages: [{ role: 'user', content: 'Hello' }] }
const TALK = { model: 'bear', lines: [{ who: 'me', text: 'Hello' }] }

describe('translation', () => {
  test('of a request, to it and from it', () => {
    const chat = {
      ...CHAT,
      messages: [{ role: 'system', content: 'Be kind.' }, ...CHAT.messages],
      max_tokens: 9,
    }
    const talk = translate(openai, toy, chat)
    expect(talk).toEqual({
      model: 'teddy',
      lines: [
        { who: 'rules', text: 'Be kind.' },
        { who: 'me', text: 'Hello' },
      ],
      limit: 9,
    })
    expect(translate(toy, gemini, talk)).toEqual({
      systemInstruction: { parts: [{ text: 'Be kind.' }] },
      contents: [{ role: 'user', parts: [{ text: 'Hello' }] }],
      generationConfig: { maxOutputTokens: 9 },
    })
  })

  test('of a whole answer', () => {
    const answer = { text: 'Hello!', why: 'full', tokens: { read: 3, written: 2 } }
    const chat = openai.text.encodeAnswer(toy.text.decodeAnswer(answer, CONTEXT.id), CONTEXT)
    expect(chat).toMatchObject({
      choices: [{ message: { content: 'Hello!' }, finish_reason: 'length' }],
      usage: { prompt_tokens: 3, completion_tokens: 2 },
    })
    expect(toy.text.encodeAnswer(openai.text.decodeAnswer(chat, CONTEXT.id), CONTEXT)).toEqual(answer)
  })

  test('of a stream, to it and back', () => {
    const talk = ['{"text":"Hel"}', '{"text":"lo!"}', '{"why":"done","tokens":{"read":3,"written":2}}']
    const chat = streamed(toy, openai, talk)
    expect(chat.at(-1)).toBe('[DONE]')
    expect(streamed(openai, toy, chat)).toEqual(talk)
  })

  const PICTURE = {
    messages: [
      { role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://example.com/a.png' } }] },
    ],
  }
  test.each<[string, Protocol, Protocol, JsonObject, string]>([
    ['a field that it lacks, by the caller’s name', openai, toy, { ...CHAT, logprobs: true }, 'logprobs'],
    ['a piece that it lacks, by its place', openai, toy, PICTURE, 'messages[0].content[0].image_url.url'],
    ['a field that another protocol lacks, by its own name', toy, anthropic, { ...TALK, ways: 2 }, 'ways'],
    ['a field that only it has', toy, openai, { ...TALK, dice: 2 }, 'dice'],
    ['an unknown field', toy, openai, { ...TALK, colours: 2 }, 'colours'],
    ['a malformed field', toy, openai, { ...TALK, lines: [{ who: 'they', text: 'Hi' }] }, 'lines[0].who'],
  ])('refuses %s', (_, from, to, body, field) => {
    expect(refusedField(from, to, body)).toBe(field)
  })
  test('drops a field that only it has, if nothing is lost', () => {
    expect(translate(toy, openai, { ...TALK, colour: 'red' })).toEqual(translate(toy, openai, TALK))
  })
})

describe('a caller of chat completions, served by a provider of it', () => {
  let upstream: Upstream
  let gateway: TestGateway
  let key: string
  beforeAll(async () => {
    upstream = await startUpstream()
    gateway = await startTestGateway({
      catalogue: catalogueFor(upstream.url, 'text', TEXT_PRICE),
      protocols: PROTOCOLS,
    })
    key = await gateway.caller()
  })
  afterAll(async () => {
    await gateway.stop()
    await upstream[Symbol.asyncDispose]()
  })

  const call = (body: JsonObject) => gateway.call('/v1/chat/completions', body, { key })

  /** 3 input tokens at 1,000 nano-dollars and 2 output tokens at 4,000. */
  async function expectCharged() {
    const { calls } = await gateway.atRest()
    expect(calls.at(-1)).toMatchObject({
      provider: 'toys',
      surface: 'chat',
      outcome: 'completed',
      cost_nanos: 11_000,
    })
  }

  test('whole', async () => {
    upstream.answer(whole({ text: 'Hello!', why: 'done', tokens: { read: 3, written: 2 } }))
    const response = await call(CHAT)
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({
      model: 'bear',
      choices: [{ message: { content: 'Hello!' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 3, completion_tokens: 2 },
    })
    expect(upstream.last().path).toBe('/talk')
    expect(JSON.parse(upstream.last().body.toString())).toEqual({
      model: 'teddy',
      lines: [{ who: 'me', text: 'Hello' }],
    })
    await expectCharged()
  })

  test('streamed', async () => {
    upstream.answer(
      events([{ text: 'Hel' }, { text: 'lo!' }, { why: 'done', tokens: { read: 3, written: 2 } }]),
    )
    const text = await (await call({ ...CHAT, stream: true })).text()
    expect(text).toContain('"content":"Hel"')
    expect(text).toEndWith('data: [DONE]\n\n')
    await expectCharged()
  })

  test('refused with the name of the caller’s field, before any request to the provider', async () => {
    const before = upstream.requests.length
    const response = await call({ ...CHAT, logprobs: true })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: { param: 'logprobs' } })
    expect(upstream.requests).toHaveLength(before)
  })
})
