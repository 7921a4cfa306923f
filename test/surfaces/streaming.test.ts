// Issue: "Streaming translation is incremental: the first token leaves as soon as it came, split UTF-8 and events split across packets are handled".

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { NO_USAGE } from '../../src/domain/usage.ts'
import type { TextRequest } from '../../src/exchange/text/passage.ts'
import { translation } from '../../src/exchange/text/translation.ts'
import { STREAM_ERROR_EVENT } from '../../src/protocols/anthropic/errors.ts'
import { anthropic } from '../../src/protocols/anthropic/index.ts'
import { gemini } from '../../src/protocols/gemini/index.ts'
import { openai } from '../../src/protocols/openai/index.ts'
import type { Protocol } from '../../src/protocols/protocol.ts'
import type { BuiltInProtocol } from '../../src/protocols/registry.ts'
import { type JsonObject, objectIn, objectsIn } from '../../src/protocols/wire/json.ts'
import { eventFrame } from '../../src/upstream/relay.ts'
import { type Step, splitAt } from '../support/upstream.ts'
import { ASKS, ERROR_OF, TYPES } from './asks.ts'
import { CLIENTS } from './clients.ts'
import {
  framed,
  INPUT_NANOS,
  MODELS,
  OUTPUT_NANOS,
  openWorld,
  PROTOCOLS,
  recorded,
  streamOf,
  TIDES,
  type World,
} from './world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world[Symbol.asyncDispose]())

/** Whose caller, whose model. */
const PAIRS = PROTOCOLS.flatMap((surface) => PROTOCOLS.map((vendor) => [surface, vendor] as const))
const TRANSLATED = PAIRS.filter(([surface, vendor]) => surface !== vendor)

async function streamFor(surface: BuiltInProtocol, vendor: BuiltInProtocol): Promise<Response> {
  const { path, headers, body } = ASKS[surface](MODELS[vendor], true)
  const key = await world.gateway.caller()
  return world.gateway.call(path, body, { key, form: 'x-api-key', headers })
}

/** A stream's text without what differs from call to call. */
const plain = (text: string): string =>
  text.replace(/req_[\w-]+/g, 'ID').replace(/"created":\d+/g, '"created":0')

const EVENT_STREAM = { 'content-type': 'text/event-stream' }
const bytesOf = (vendor: BuiltInProtocol, name: string): Buffer =>
  Buffer.from(
    recorded(vendor, name)
      .map((payload) => framed(vendor, payload))
      .join(''),
  )

describe.each(PAIRS)('a caller of %s, a %s model', (surface, vendor) => {
  test('each piece of text leaves before the vendor sends the next', async () => {
    const heard = ['Tides', ' rise'].map((text) => ({ text, ...Promise.withResolvers<void>() }))
    const steps = recorded(vendor, 'stream-text').flatMap((payload): Step[] => {
      const waited = heard.find(({ text }) => payload.includes(`"${text}`))
      const send = { send: framed(vendor, payload) }
      return waited ? [send, { wait: waited.promise }] : [send]
    })
    world.upstream.answer({ headers: EVENT_STREAM, steps })
    const client = CLIENTS[surface](world.gateway.url, await world.gateway.caller())
    const reply = await client.ask({
      model: MODELS[vendor],
      streams: true,
      onText: (text) => heard.find((piece) => text.startsWith(piece.text))?.resolve(),
    })
    expect(reply.text).toBe(TIDES)
  })

  test.each(['stream-text', 'stream-tools'])('%s, one byte a packet', async (name) => {
    const bytes = bytesOf(vendor, name)
    world.upstream.answer({ headers: EVENT_STREAM, steps: [{ send: bytes }] })
    const expected = await (await streamFor(surface, vendor)).text()
    const everywhere = Array.from({ length: bytes.length - 1 }, (_, index) => index + 1)
    world.upstream.answer({ headers: EVENT_STREAM, steps: splitAt(bytes, ...everywhere) })
    expect(plain(await (await streamFor(surface, vendor)).text())).toBe(plain(expected))
    const [first, second] = (await world.gateway.atRest()).calls.slice(-2)
    expect(second?.cost_nanos).toBe(first?.cost_nanos ?? Number.NaN)
    expect(second?.outcome).toBe('completed')
  })

  test('comments, pings and Windows line ends of the vendor do no harm', async () => {
    const payloads = recorded(vendor, 'stream-text')
    world.upstream.answer(streamOf(vendor, payloads))
    const expected = await (await streamFor(surface, vendor)).text()
    const odd = payloads
      .map((payload) => `: OPENROUTER PROCESSING\r\n\r\n${framed(vendor, payload).replaceAll('\n', '\r\n')}`)
      .join('')
    world.upstream.answer({ headers: EVENT_STREAM, steps: [{ send: odd }] })
    const answered = await (await streamFor(surface, vendor)).text()
    const bare = (text: string) =>
      plain(text)
        .replaceAll('\r', '')
        .replace(/: OPENROUTER PROCESSING\n\n/g, '')
    expect(bare(answered)).toBe(bare(expected))
  })

  test('a vendor who breaks off: a last record in the surface’s own shape', async () => {
    const payloads = recorded(vendor, 'stream-text')
    const sent = payloads.slice(0, payloads.findIndex((payload) => payload.includes('"Tides"')) + 1)
    const steps: Step[] = [...sent.map((payload) => ({ send: framed(vendor, payload) })), 'reset']
    world.upstream.answer({ headers: EVENT_STREAM, steps })
    const frames = (await (await streamFor(surface, vendor)).text()).split('\n\n').filter(Boolean)
    const last = frames.at(-1)?.split('\n') ?? []
    expect(last).toHaveLength(surface === 'anthropic' ? 2 : 1)
    if (surface === 'anthropic') expect(last[0]).toBe('event: error')
    const body = JSON.parse(last.at(-1)?.replace('data: ', '') ?? '') as JsonObject
    const { message, type } = ERROR_OF[surface](body)
    expect(type).toBe(TYPES[surface].upstream)
    expect(message).toContain('broke off')
    expect(frames.at(-2)).toContain('Tides')
    expect(frames.join('')).not.toContain('[DONE]')
    expect(await world.lastCall()).toMatchObject({ outcome: 'broken', estimated: 1, output_tokens: 2 })
  })
})

const PROTOCOL_OF: Readonly<Record<BuiltInProtocol, Protocol>> = { gemini, anthropic, openai }

/** What a caller gets of a vendor's bytes, which come in these packets. */
function translated(surface: BuiltInProtocol, vendor: BuiltInProtocol, ...packets: Buffer[]): string {
  const protocol = PROTOCOL_OF[surface]
  const frame = eventFrame(surface === 'anthropic' ? STREAM_ERROR_EVENT : undefined)
  const request: TextRequest = {
    dialect: { protocol, frame, raw: true, shows_usage: true },
    body: { bytes: new Uint8Array(), json: {}, keys: [] },
    streams: true,
    context: { id: 'call-1', model: 'asked', created_s: 1, shows_usage: true },
  }
  const relay = translation(request, PROTOCOL_OF[vendor]).stream(
    PROTOCOL_OF[vendor].text.stream.open(),
    () => NO_USAGE,
  )
  const parts = [...packets.map((packet) => relay.push(packet)), relay.end()]
  return Buffer.concat(parts.filter((part) => part !== undefined)).toString()
}

describe.each(TRANSLATED)('translated for a caller of %s, from a %s model', (surface, vendor) => {
  test.each(['stream-text', 'stream-tools'])('%s, split at every byte', (name) => {
    const bytes = bytesOf(vendor, name)
    const expected = translated(surface, vendor, bytes)
    expect(expected).toContain(name === 'stream-text' ? '🌊' : 'Bergen')
    for (let at = 1; at < bytes.length; at++) {
      const split = translated(surface, vendor, bytes.subarray(0, at), bytes.subarray(at))
      if (split !== expected) throw new Error(`split at byte ${at}: ${split}`)
    }
  })
})

describe.each(['anthropic', 'openai'] as const)('without alt=sse, a %s model', (vendor) => {
  async function arrayFor(...steps: Step[]): Promise<JsonObject[]> {
    world.upstream.answer({ headers: EVENT_STREAM, steps })
    const path = `/v1beta/models/${MODELS[vendor]}:streamGenerateContent`
    const { body } = ASKS.gemini(MODELS[vendor], true)
    const response = await world.gateway.call(path, body, { key: await world.gateway.caller() })
    expect(response.headers.get('content-type')).toBe('application/json')
    return response.json() as Promise<JsonObject[]>
  }
  const textOf = (events: readonly JsonObject[]) =>
    events.flatMap(({ candidates }) =>
      objectsIn(candidates).flatMap(({ content }) =>
        objectsIn(objectIn(content).parts).map(({ text }) => text),
      ),
    )

  test('a stream is one JSON array of native answers', async () => {
    const events = await arrayFor({ send: bytesOf(vendor, 'stream-text') })
    expect(textOf(events).join('')).toBe(TIDES)
    expect(events.at(-1)).toMatchObject({ usageMetadata: { promptTokenCount: 14, candidatesTokenCount: 24 } })
  })
  test('one that breaks is still an array, and its last element the error', async () => {
    const payloads = recorded(vendor, 'stream-text')
    const end = payloads.findIndex((payload) => payload.includes('"Tides"')) + 1
    const events = await arrayFor(
      ...payloads.slice(0, end).map((payload) => ({ send: framed(vendor, payload) })),
      'reset',
    )
    expect(textOf(events)).toContain('Tides')
    expect(events.at(-1)).toMatchObject({ error: { code: 502, status: 'UNAVAILABLE' } })
  })
})

/** Two answers, of which one ends. A message of Anthropic's has one answer only. */
const HALF_ENDED: Partial<Record<BuiltInProtocol, string>> = {
  gemini:
    '{"candidates":[{"index":0,"content":{"parts":[{"text":"One"}]},"finishReason":"STOP"},{"index":1,"content":{"parts":[{"text":"Tw"}]}}]}',
  openai:
    '{"id":"1","choices":[{"index":0,"delta":{"content":"One"},"finish_reason":"stop"},{"index":1,"delta":{"content":"Tw"},"finish_reason":null}]}',
}

test.each(TRANSLATED.filter(([, vendor]) => HALF_ENDED[vendor]))(
  'an end that cannot be translated is no end: the caller of %s is told of it, and charged for what came of the %s model',
  async (surface, vendor) => {
    world.upstream.answer(streamOf(vendor, [HALF_ENDED[vendor] ?? '']))
    const frames = (await (await streamFor(surface, vendor)).text()).split('\n\n').filter(Boolean)
    const last = JSON.parse(/^data: (.*)$/m.exec(frames.at(-1) ?? '')?.[1] ?? '')
    expect(ERROR_OF[surface](last).type).toBe(TYPES[surface].upstream)
    expect(await world.lastCall()).toMatchObject({ outcome: 'broken', estimated: 1, output_tokens: 2 })
  },
)

describe('a caller who leaves a translated stream, where the operator drains', () => {
  let draining: World
  beforeAll(async () => {
    draining = await openWorld(undefined, 'on_disconnect = "drain"\ndrain_timeout_ms = 5000')
  })
  afterAll(() => draining[Symbol.asyncDispose]())

  test.each(TRANSLATED)(
    '%s, a %s model: the vendor is read to his end, and his own count is charged',
    async (surface, vendor) => {
      const left = Promise.withResolvers<void>()
      const steps = recorded(vendor, 'stream-text').flatMap((payload): Step[] => {
        const send = { send: framed(vendor, payload) }
        return payload.includes('"Tides"') ? [send, { wait: left.promise }, { wait: 30 }] : [send]
      })
      draining.upstream.answer({ headers: EVENT_STREAM, steps })
      const leaving = new AbortController()
      const client = CLIENTS[surface](draining.gateway.url, await draining.gateway.caller())
      const asking = client.ask({
        model: MODELS[vendor],
        streams: true,
        signal: leaving.signal,
        onText: () => {
          leaving.abort()
          left.resolve()
        },
      })
      await expect(asking).rejects.toThrow(/abort/i)
      await draining.upstream.last().over
      expect(draining.upstream.last().aborted).toBe(false)
      const call = await draining.lastCall()
      const cached_nanos = call.cache_read_tokens * 100
      expect(call).toMatchObject({ outcome: 'cancelled', estimated: 0, output_tokens: 24 })
      expect(call.cost_nanos).toBe(
        (14 - call.cache_read_tokens) * INPUT_NANOS + cached_nanos + 24 * OUTPUT_NANOS,
      )
    },
  )
})
