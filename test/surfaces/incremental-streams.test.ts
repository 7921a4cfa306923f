// Streams, passed on and translated piece by piece: each piece leaves as soon as it came, wherever packets split its bytes.

import { describe, expect, test } from 'bun:test'
import { plugins } from '../../plugins/index.ts'
import type { BuiltInProtocol } from '../../src/protocols/registry.ts'
import { type JsonObject, objectIn, objectsIn } from '../../src/protocols/wire/json.ts'
import { watchCallers } from '../support/callers.ts'
import { IS_LONG } from '../support/long.ts'
import { firstWord, frame, framedSteps, readRecording, streamOf, TIDES } from '../support/replay.ts'
import { CLIENTS } from '../support/sdk-clients.ts'
import { INPUT_NANOS, MODELS, OUTPUT_NANOS, PROTOCOLS, threeProviders } from '../support/three-providers.ts'
import { type Step, splitAt, stream } from '../support/upstream.ts'
import { translateStream } from './conversion.ts'
import { ERROR_OF, ERROR_TYPES, REQUESTS } from './requests.ts'

/** Between two places where a stream is split; in a long run it is split at one place only. */
const PACKET_BYTES = 64

const { gateway, upstream, key, lastCall } = await threeProviders()

const callers = watchCallers()
const draining = await threeProviders({
  server: 'on_disconnect = "drain"\ndrain_timeout_ms = 30000',
  plugins: [callers.plugin, ...plugins],
})

/** The caller's protocol, the provider's protocol. */
const PAIRS = PROTOCOLS.flatMap((surface) => PROTOCOLS.map((provider) => [surface, provider] as const))
const TRANSLATED = PAIRS.filter(([surface, provider]) => surface !== provider)

async function streamFor(surface: BuiltInProtocol, provider: BuiltInProtocol): Promise<Response> {
  const { path, headers, body } = REQUESTS[surface](MODELS[provider], true)
  return gateway.call(path, body, { key, form: 'x-api-key', headers })
}

/** A stream's text without the values that differ from call to call. */
const plain = (text: string): string =>
  text.replace(/req_[\w-]+/g, 'ID').replace(/"created":\d+/g, '"created":0')

const bytesOf = (provider: BuiltInProtocol, name: string): Buffer =>
  Buffer.from(
    readRecording(provider, name)
      .map((payload) => frame(provider, payload))
      .join(''),
  )

const STREAMS = ['stream-text', 'stream-tools']

describe.each(PAIRS)('a caller of %s, a %s model', (surface, provider) => {
  test('each piece of text leaves before the provider sends the next', async () => {
    const pieces = ['Tides', ' rise'].map((text) => ({ text, ...Promise.withResolvers<void>() }))
    const steps = readRecording(provider, 'stream-text').flatMap((payload): Step[] => {
      const waited = pieces.find(({ text }) => payload.includes(`"${text}`))
      const send = { send: frame(provider, payload) }
      return waited ? [send, { wait: waited.promise }] : [send]
    })
    upstream.answer(stream(...steps))
    const client = CLIENTS[surface](gateway.url, key)
    const reply = await client.ask({
      model: MODELS[provider],
      streams: true,
      onText: (text) => pieces.find((piece) => text.startsWith(piece.text))?.resolve(),
    })
    expect(reply.text).toBe(TIDES)
  })

  // Without sockets, translated streams are split at any byte below.
  test.each(surface === provider ? STREAMS : ['stream-tools'])('%s, one byte a packet', async (name) => {
    const bytes = bytesOf(provider, name)
    upstream.answer(stream({ send: bytes }))
    const expected = await (await streamFor(surface, provider)).text()
    const first = await lastCall()
    const everywhere = Array.from({ length: bytes.length - 1 }, (_, index) => index + 1)
    upstream.answer(stream(...splitAt(bytes, ...everywhere)))
    expect(plain(await (await streamFor(surface, provider)).text())).toBe(plain(expected))
    expect(await lastCall()).toMatchObject({ outcome: 'completed', cost_nanos: first.cost_nanos })
  })

  test('comments, pings and CRLF line ends of the provider change nothing else', async () => {
    const payloads = readRecording(provider, 'stream-text')
    upstream.answer(streamOf(provider, payloads))
    const expected = await (await streamFor(surface, provider)).text()
    const odd = payloads
      .map((payload) => `: OPENROUTER PROCESSING\r\n\r\n${frame(provider, payload).replaceAll('\n', '\r\n')}`)
      .join('')
    upstream.answer(stream({ send: odd }))
    const reply = await (await streamFor(surface, provider)).text()
    const bare = (text: string) =>
      plain(text)
        .replaceAll('\r', '')
        .replace(/: OPENROUTER PROCESSING\n\n/g, '')
    expect(bare(reply)).toBe(bare(expected))
  })

  test('a stream that breaks ends with an error in the surface’s own shape', async () => {
    upstream.answer(stream(...framedSteps(provider, firstWord(provider)), 'reset'))
    const frames = (await (await streamFor(surface, provider)).text()).split('\n\n').filter(Boolean)
    const last = frames.at(-1)?.split('\n') ?? []
    expect(last).toHaveLength(surface === 'anthropic' ? 2 : 1)
    if (surface === 'anthropic') expect(last[0]).toBe('event: error')
    const body = JSON.parse(last.at(-1)?.replace('data: ', '') ?? '') as JsonObject
    const { message, type } = ERROR_OF[surface](body)
    expect(type).toBe(ERROR_TYPES[surface].upstream)
    expect(message).toContain('interrupted its answer')
    expect(frames.at(-2)).toContain('Tides')
    expect(frames.join('')).not.toContain('[DONE]')
    expect(await lastCall()).toMatchObject({ outcome: 'broken', estimated: 1, output_tokens: 2 })
  })
})

/** The caller's bytes, translated from a provider's bytes in these packets. */
function translated(surface: BuiltInProtocol, provider: BuiltInProtocol, ...packets: Buffer[]): string {
  const relay = translateStream(surface, provider)
  const parts = [...packets.map((packet) => relay.push(packet)), relay.end()]
  return Buffer.concat(parts.filter((part) => part !== undefined)).toString()
}

/** Bytes in packets, of which the first has a length of its own. */
const packetsOf = (bytes: Buffer, first_bytes: number, every_bytes: number): Buffer[] => {
  const packets = [bytes.subarray(0, first_bytes)]
  for (let at = first_bytes; at < bytes.length; at += every_bytes)
    packets.push(bytes.subarray(at, at + every_bytes))
  return packets
}

describe.each(TRANSLATED)('translated for a caller of %s, from a %s model', (surface, provider) => {
  test.each(STREAMS)('%s, split at any byte', (name) => {
    const bytes = bytesOf(provider, name)
    const expected = translated(surface, provider, bytes)
    expect(expected).toContain(name === 'stream-text' ? '🌊' : 'Bergen')
    const every_bytes = IS_LONG ? bytes.length : PACKET_BYTES
    // Each byte is once the first of a packet.
    for (let first = 1; first <= every_bytes; first++) {
      const split = translated(surface, provider, ...packetsOf(bytes, first, every_bytes))
      if (split !== expected) throw new Error(`split from byte ${first} on: ${split}`)
    }
  })
})

describe.each(['anthropic', 'openai'] as const)('without alt=sse, a %s model', (provider) => {
  async function arrayFor(...steps: Step[]): Promise<JsonObject[]> {
    upstream.answer(stream(...steps))
    const path = `/v1beta/models/${MODELS[provider]}:streamGenerateContent`
    const { body } = REQUESTS.gemini(MODELS[provider], true)
    const response = await gateway.call(path, body, { key })
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
    const events = await arrayFor({ send: bytesOf(provider, 'stream-text') })
    expect(textOf(events).join('')).toBe(TIDES)
    expect(events.at(-1)).toMatchObject({ usageMetadata: { promptTokenCount: 14, candidatesTokenCount: 24 } })
  })
  test('a stream that breaks is still an array, whose last element is the error', async () => {
    const events = await arrayFor(...framedSteps(provider, firstWord(provider)), 'reset')
    expect(textOf(events)).toContain('Tides')
    expect(events.at(-1)).toMatchObject({ error: { code: 502, status: 'UNAVAILABLE' } })
  })
})

/** Two candidates, one of which ends. Anthropic's messages have one only. */
const HALF_ENDED: Partial<Record<BuiltInProtocol, string>> = {
  gemini:
    '{"candidates":[{"index":0,"content":{"parts":[{"text":"One"}]},"finishReason":"STOP"},{"index":1,"content":{"parts":[{"text":"Tw"}]}}]}',
  openai:
    '{"id":"1","choices":[{"index":0,"delta":{"content":"One"},"finish_reason":"stop"},{"index":1,"delta":{"content":"Tw"},"finish_reason":null}]}',
}

test.each(TRANSLATED.filter(([, provider]) => HALF_ENDED[provider]))(
  'a stream whose end cannot be translated breaks: the caller of %s gets an error, and pays for the output of the %s model',
  async (surface, provider) => {
    upstream.answer(streamOf(provider, [HALF_ENDED[provider] ?? '']))
    const frames = (await (await streamFor(surface, provider)).text()).split('\n\n').filter(Boolean)
    const last = JSON.parse(/^data: (.*)$/m.exec(frames.at(-1) ?? '')?.[1] ?? '')
    expect(ERROR_OF[surface](last).type).toBe(ERROR_TYPES[surface].upstream)
    expect(await lastCall()).toMatchObject({ outcome: 'broken', estimated: 1, output_tokens: 2 })
  },
)

describe('on_disconnect = "drain": a caller who disconnects from a translated stream', () => {
  test.each(TRANSLATED)(
    '%s, a %s model: the stream is read to its end, and the reported usage is charged',
    async (surface, provider) => {
      const left = callers.left.reaches(callers.left.count + 1)
      const opening = framedSteps(provider, firstWord(provider))
      const rest = framedSteps(provider, readRecording(provider, 'stream-text').slice(opening.length))
      draining.upstream.answer(stream(...opening, { wait: left }, ...rest))
      const leaving = new AbortController()
      const client = CLIENTS[surface](draining.gateway.url, draining.key)
      const asking = client.ask({
        model: MODELS[provider],
        streams: true,
        signal: leaving.signal,
        onText: () => leaving.abort(),
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
