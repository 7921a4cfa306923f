// silent.md, Chat completions, models, embeddings: "The answer names the model that the caller asked for, on every surface", whole and
// streamed, also where bytes pass untouched; the provider's own name is in the call's record and in a header.
import { describe, expect, test } from 'bun:test'
import type { BuiltInProtocol } from '../../src/protocols/registry.ts'
import type { JsonObject } from '../../src/protocols/wire/json.ts'
import { frame, readRecording, targetProvider, wantsStream } from '../support/replay.ts'
import { fileScene } from '../support/scene.ts'
import { modelSection, providerSection } from '../support/sections.ts'
import { PROTOCOLS } from '../support/three-providers.ts'
import { type Answer, splitAt, stream, whole } from '../support/upstream.ts'
import { REQUESTS } from './requests.ts'

/** A model as callers call it, and the name of its route. */
const NAMES: readonly (readonly [id: string, route: string])[] = [
  ['our/model', 'upstream-model'],
  ['dated', 'dated-2025-08-07'],
  ['same', 'same'],
  ['unicode', 'modèle-漢'],
]
const catalogue = (url: string): string =>
  PROTOCOLS.map(
    (protocol) => `
${providerSection(protocol, protocol, `${url}/${protocol}`, '', [])}
${NAMES.flatMap(([id, route]) =>
  (protocol === 'anthropic' ? ['text'] : ['text', 'embedding']).map((kind) => {
    const name = `${kind}/${protocol}/${id}`
    const price = kind === 'text' ? 'input = 1, output = 4' : 'input = 0.02'
    return modelSection(name, { [protocol]: route === id ? name : route }, { kind, price })
  }),
).join('')}`,
  ).join('')

const { upstream, call, lastCall } = await fileScene({ catalogue })

const PLACE: Readonly<Record<BuiltInProtocol, string>> = {
  gemini: 'modelVersion',
  anthropic: 'model',
  openai: 'model',
}

/** A recording in which the model has this name; its text holds the name as a field, too. */
function answerNamed(protocol: BuiltInProtocol, streams: boolean, name: string): string[] {
  const field = `"${PLACE[protocol]}":${JSON.stringify(name)}`
  const trap = JSON.stringify(`{${field}}`).slice(1, -1)
  return readRecording(protocol, streams ? 'stream-text' : 'whole-text').map((payload) =>
    payload
      .replace(new RegExp(`"${PLACE[protocol]}":\\s*"[^"]*"`), field)
      .replace(/Tides/, trap.replaceAll('$', '$$$$')),
  )
}

const bytesOf = (protocol: BuiltInProtocol, streams: boolean, payloads: readonly string[]): string =>
  streams ? payloads.map((payload) => frame(protocol, payload)).join('') : (payloads[0] ?? '')

const answerOf = (bytes: string, streams: boolean): Answer =>
  streams ? stream(...splitAt(bytes, 10, bytes.length >> 1)) : whole(bytes)

const WAYS = PROTOCOLS.flatMap((protocol) => [false, true].map((streams) => [protocol, streams] as const))

describe.each(WAYS)('bytes that pass: %s, streamed: %p', (protocol, streams) => {
  async function pass(id: string, sent: string, more: JsonObject = {}) {
    upstream.answer(answerOf(sent, streams))
    const { path, headers, body } = REQUESTS[protocol](`text/${protocol}/${id}`, streams, more)
    const response = await call(path, body, { headers })
    expect(response.status).toBe(200)
    return { response, got: await response.text() }
  }
  const named = (name: string) => answerNamed(protocol, streams, name)
  /** The same bytes with another name in the field only: the model's text, which holds the old name, stays. */
  function renamed(from: string, to: string): string {
    const field = (name: string) => `"${PLACE[protocol]}":${JSON.stringify(name)}`
    return bytesOf(
      protocol,
      streams,
      named(from).map((payload) => payload.replace(field(from), field(to))),
    )
  }

  test.each([
    'upstream-model',
    'upstream-model-20250807',
    'something-else',
    '',
    'our/model',
    'with "quotes" and \\',
  ])('an alias: an answer named %p gets the requested name; no other byte changes', async (name) => {
    const model = `text/${protocol}/our/model`
    const { response, got } = await pass('our/model', bytesOf(protocol, streams, named(name)))
    expect(got).toBe(renamed(name, model))
    expect(response.headers.get('x-tollgate-upstream-model')).toBe('upstream-model')
    expect(await lastCall()).toMatchObject({ model, upstream_model: 'upstream-model', estimated: 0 })
  })

  test.each(['-2025-08-07', '-20250807', '@20250807', '-0807', '-001', '-08-2025'])(
    'a version of the requested model passes: …%s',
    async (version) => {
      const sent = bytesOf(protocol, streams, named(`text/${protocol}/dated${version}`))
      expect((await pass('dated', sent)).got).toBe(sent)
    },
  )

  test.each(['-mini', '-2025-08-07-mini', 'x', '-1', '-12345'])(
    'a name that only begins like the requested one is replaced: …%s',
    async (rest) => {
      const model = `text/${protocol}/dated`
      const { got } = await pass('dated', bytesOf(protocol, streams, named(model + rest)))
      expect(got).toBe(renamed(model + rest, model))
    },
  )

  test('an alias, in packets of a byte, with CRLF, and comments between', async () => {
    const crlf = (text: string) => (streams ? text.replaceAll('\n', '\r\n') : text)
    const sent = Buffer.from(crlf(bytesOf(protocol, streams, named('upstream-model'))))
    const steps = splitAt(sent, ...Array.from({ length: sent.length - 1 }, (_, at) => at + 1))
    const comments = streams ? [{ send: ': a comment\r\n\r\n' }] : []
    upstream.answer(streams ? stream(...comments, ...steps) : { ...whole(''), steps })
    const { path, headers, body } = REQUESTS[protocol](`text/${protocol}/our/model`, streams)
    const got = await (await call(path, body, { headers })).text()
    expect(got).toBe(crlf(renamed('upstream-model', `text/${protocol}/our/model`)))
  })

  test('an alias whose name is written with escapes', async () => {
    const plain = bytesOf(protocol, streams, named('upstream-model'))
    const escaped = (text: string) =>
      text.replaceAll(`"${PLACE[protocol]}":"upstream`, `"${PLACE[protocol]}":"\\u0075pstream`)
    expect((await pass('our/model', escaped(plain))).got).toBe(
      renamed('upstream-model', `text/${protocol}/our/model`),
    )
  })

  test('an answer passes unread where the route has the requested name', async () => {
    const sent = bytesOf(protocol, streams, named('whatever'))
    expect((await pass('same', sent)).got).toBe(sent)
  })

  test('an answer without a name gets none', async () => {
    const sent = bytesOf(
      protocol,
      streams,
      named('x').map((payload) => payload.replace(new RegExp(`"${PLACE[protocol]}":"x",?`), '')),
    )
    expect((await pass('our/model', sent)).got).toBe(sent)
  })

  test('a route’s name beyond ASCII is encoded in the header', async () => {
    const { response } = await pass('unicode', bytesOf(protocol, streams, named('modèle-漢')))
    expect(decodeURI(response.headers.get('x-tollgate-upstream-model') ?? '')).toBe('modèle-漢')
  })
})

describe('events in new frames', () => {
  test('a JSON array of the native protocol', async () => {
    const payloads = answerNamed('gemini', true, 'upstream-model')
    upstream.answer(answerOf(bytesOf('gemini', true, payloads), true))
    const { body } = REQUESTS.gemini('', true)
    const response = await call('/v1beta/models/text/gemini/our/model:streamGenerateContent', body)
    const events = (await response.json()) as JsonObject[]
    expect(events).toHaveLength(payloads.length)
    for (const { modelVersion } of events) expect(modelVersion).toBe('text/gemini/our/model')
  })

  test('chat, with the usage hidden', async () => {
    upstream.answer(answerOf(bytesOf('openai', true, answerNamed('openai', true, 'upstream-model')), true))
    const { path, body } = REQUESTS.openai('text/openai/our/model', true)
    const { stream_options: _, ...plain } = body
    const text = await (await call(path, plain)).text()
    const names = [...text.matchAll(/"model":"([^"]*)"/g)].map(([, name]) => name)
    expect(new Set(names)).toEqual(new Set(['text/openai/our/model']))
  })
})

test.each(PROTOCOLS.flatMap((caller) => WAYS.map((way) => [caller, ...way] as const)))(
  'translated or not: a caller of %s, a provider of %s, streamed: %p',
  async (caller, provider, streams) => {
    const model = `text/${provider}/our/model`
    upstream.answer((seen) => {
      const protocol = targetProvider(seen)
      const payloads = answerNamed(protocol, wantsStream(seen), 'upstream-model')
      return answerOf(bytesOf(protocol, wantsStream(seen), payloads), wantsStream(seen))
    })
    const { path, headers, body } = REQUESTS[caller](model, streams)
    const response = await call(path, body, { headers })
    const text = await response.text()
    expect(text).toContain(`"${PLACE[caller]}":"${model}"`)
    expect(text).not.toContain(`"${PLACE[caller]}":"upstream-model"`)
    expect(response.headers.get('x-tollgate-upstream-model')).toBe('upstream-model')
  },
)

describe('embeddings', () => {
  const vectors = {
    object: 'list',
    data: [{ object: 'embedding', index: 0, embedding: [0.25, -1e-7] }],
    model: 'upstream-model',
    usage: { prompt_tokens: 2, total_tokens: 2 },
  }
  const ask = (id: string) => call('/v1/embeddings', { model: id, input: 'tides' })

  test('bytes that pass get the requested name; no other byte changes', async () => {
    const sent = JSON.stringify(vectors, undefined, 1)
    upstream.answer(whole(sent))
    const response = await ask('embedding/openai/our/model')
    expect(await response.text()).toBe(sent.replace('upstream-model', 'embedding/openai/our/model'))
    expect(response.headers.get('x-tollgate-upstream-model')).toBe('upstream-model')
  })

  test('an answer with an implausible usage and vectors of another protocol get it, too', async () => {
    upstream.answer(whole({ ...vectors, usage: { prompt_tokens: -1 } }))
    expect(await (await ask('embedding/openai/our/model')).json()).toMatchObject({
      model: 'embedding/openai/our/model',
      usage: { prompt_tokens: 2 },
    })
    upstream.answer(whole({ embeddings: [{ values: [1, 0] }] }))
    expect(await (await ask('embedding/gemini/our/model')).json()).toMatchObject({
      model: 'embedding/gemini/our/model',
    })
  })
})

test('an answer repeated under its Idempotency-Key has the same header', async () => {
  upstream.answer(whole(answerNamed('openai', false, 'upstream-model')[0]))
  const { path, body } = REQUESTS.openai('text/openai/our/model', false)
  const headers = { 'idempotency-key': 'named' }
  const first = await (await call(path, body, { headers })).text()
  const again = await call(path, body, { headers })
  expect([again.headers.get('idempotent-replayed'), await again.text()]).toEqual(['true', first])
  expect(again.headers.get('x-tollgate-upstream-model')).toBe('upstream-model')
})
