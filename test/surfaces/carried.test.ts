// Issue: "What cannot be carried is refused with a clear 400 that names the field, or dropped": the protocols' tables of it, over the wire.

import { beforeEach, describe, expect, test } from 'bun:test'
import type { ConversationPiece, Loss, RequestField } from '../../src/protocols/carries.ts'
import { BUILT_IN_PROTOCOLS, type BuiltInProtocol } from '../../src/protocols/registry.ts'
import type { Json, JsonObject } from '../../src/protocols/wire/json.ts'
import { replay, targetProvider } from '../support/replay.ts'
import { MODELS, PROTOCOLS, TWO_PROVIDERS, threeProviders } from '../support/three-providers.ts'
import { ERROR_OF, expectFieldRefused, REQUESTS } from './requests.ts'

const { upstream, call, lastCall, counts, expectCounts } = await threeProviders()
beforeEach(() => upstream.answer(replay('text')))

function ask(surface: BuiltInProtocol, model: string, streams: boolean, more: JsonObject): Promise<Response> {
  const { path, headers, body } = REQUESTS[surface](model, streams, more)
  return call(path, body, { form: 'x-api-key', headers })
}

type Thing = RequestField | ConversationPiece

/** Everything that a protocol refuses to carry. */
function refusedBy(to: BuiltInProtocol): Thing[] {
  const { fields, pieces } = BUILT_IN_PROTOCOLS[to].carries
  const places = Object.entries({ ...fields, ...pieces }) as [Thing, string | Loss][]
  return places.flatMap(([thing, place]) =>
    typeof place !== 'string' && place.fate === 'refused' ? thing : [],
  )
}

/** `a.b` as an object. */
const at = (path: string, value: Json): JsonObject =>
  path.split('.').reduceRight<Json>((inner, name) => ({ [name]: inner }), value) as JsonObject

const config = (fields: JsonObject): JsonObject => ({ generationConfig: fields })
const part = (value: JsonObject): JsonObject => ({ contents: [{ role: 'user', parts: [value] }] })
const block = (value: JsonObject): JsonObject => ({ messages: [{ role: 'user', content: [value] }] })

type Request = readonly [more: JsonObject, field: string]

/** How each surface requests a thing that one of its targets refuses, and the field that the refusal must name. */
const REFUSED_REQUESTS: Readonly<Partial<Record<Thing, Partial<Record<BuiltInProtocol, Request>>>>> = {
  candidates: {
    gemini: [config({ candidateCount: 2 }), 'generationConfig.candidateCount'],
    openai: [{ n: 2 }, 'n'],
  },
  logprobs: {
    gemini: [config({ responseLogprobs: true }), 'generationConfig.responseLogprobs'],
    openai: [{ logprobs: true }, 'logprobs'],
  },
  images: {
    gemini: [config({ responseModalities: ['TEXT', 'IMAGE'] }), 'generationConfig.responseModalities'],
    openai: [{ modalities: ['image', 'text'] }, 'modalities'],
  },
  document_url: {
    gemini: [
      part({ fileData: { mimeType: 'application/pdf', fileUri: 'https://example.com/a.pdf' } }),
      'contents[0].parts[0].fileData',
    ],
    anthropic: [
      block({ type: 'document', source: { type: 'url', url: 'https://example.com/a.pdf' } }),
      'messages[0].content[0]',
    ],
  },
  audio: {
    gemini: [
      part({ inlineData: { mimeType: 'audio/wav', data: 'AA==' } }),
      'contents[0].parts[0].inlineData',
    ],
    openai: [
      block({ type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } }),
      'messages[0].content[0]',
    ],
  },
  json_without_schema: {
    gemini: [config({ responseMimeType: 'application/json' }), 'generationConfig.responseMimeType'],
    openai: [{ response_format: { type: 'json_object' } }, 'response_format'],
  },
}

type Case = readonly [surface: BuiltInProtocol, to: BuiltInProtocol, field: string, more: JsonObject]

/** A case for each row that refuses and each other surface that can request it. */
const REFUSED_ROWS: Case[] = PROTOCOLS.flatMap((to) =>
  refusedBy(to).flatMap((thing) => {
    const requests = REFUSED_REQUESTS[thing]
    if (!requests) throw new Error(`no surface asks for ${thing} here, though ${to} refuses it`)
    return PROTOCOLS.filter((surface) => surface !== to).flatMap((surface): Case[] => {
      const request = requests[surface]
      return request ? [[surface, to, request[1], request[0]]] : []
    })
  }),
)

const SAMPLE = 'a-value-to-look-for'

const uncarried = (fate: Loss['fate']): Case[] =>
  PROTOCOLS.flatMap((surface) =>
    Object.entries(BUILT_IN_PROTOCOLS[surface].carries.own_fields)
      .filter(([, loss]) => loss.fate === fate)
      .flatMap(([field]) =>
        PROTOCOLS.filter((to) => to !== surface).map((to): Case => [surface, to, field, at(field, SAMPLE)]),
      ),
  )

const UNKNOWN: Case[] = PROTOCOLS.flatMap((surface) =>
  PROTOCOLS.filter((to) => to !== surface).flatMap((to): Case[] => [
    [surface, to, 'temprature', { temprature: 1 }],
    ...(surface === 'gemini'
      ? [[surface, to, 'generationConfig.temprature', config({ temprature: 1 })] as const]
      : []),
  ]),
)

describe('a refusal is a 400 in the surface’s shape that names the field; nothing is held, sent or recorded', () => {
  const REFUSED = [...REFUSED_ROWS, ...uncarried('refused'), ...UNKNOWN]

  test('the tables have rows to refuse', () => {
    expect(REFUSED_ROWS.length).toBeGreaterThanOrEqual(10)
    expect(uncarried('refused').length).toBeGreaterThanOrEqual(20)
  })

  test.each(REFUSED)('%s to %s: %s', async (surface, to, field, more) => {
    const before = counts()
    for (const streams of [false, true]) {
      await expectFieldRefused(surface, await ask(surface, MODELS[to], streams, more), field)
    }
    await expectCounts(before)
  })
})

describe('fields that are dropped without notice', () => {
  test.each(uncarried('dropped'))('%s to %s: %s', async (surface, to, _, more) => {
    const response = await ask(surface, MODELS[to], false, more)
    expect(response.status).toBe(200)
    await response.text()
    expect(targetProvider(upstream.last())).toBe(to)
    expect(upstream.last().body.toString()).not.toContain(SAMPLE)
  })
})

test.each(PROTOCOLS)(
  'every field, known or not, that bills nothing beyond tokens passes to a provider of the same protocol: %s',
  async (surface) => {
    const { carries, text } = BUILT_IN_PROTOCOLS[surface]
    // The gateway never asks a provider to store anything: test/chat.
    const judged = ['model', 'cachedContent', 'store', ...(text.extras?.decisive_fields ?? [])]
    // A spoken answer is an extra, by a field further inside: extras-refused.test.ts.
    judged.push('generationConfig.speechConfig')
    for (const field of [...Object.keys(carries.own_fields), 'temprature']) {
      if (judged.includes(field)) continue
      const more = at(field, SAMPLE)
      const response = await ask(surface, MODELS[surface], false, more)
      expect(response.status).toBe(200)
      await response.text()
      expect(upstream.last().body.toString()).toContain(SAMPLE)
    }
  },
)

describe('a model with routes to two providers', () => {
  test('the first provider serves a request that it can carry', async () => {
    await (await ask('openai', TWO_PROVIDERS, false, {})).text()
    expect(targetProvider(upstream.last())).toBe('anthropic')
  })
  test.each([false, true])(
    'the second provider serves a request that the first cannot carry; streamed: %p',
    async (streams) => {
      const before = upstream.requests.length
      upstream.answer(replay('two-answers'))
      const response = await ask('openai', TWO_PROVIDERS, streams, { n: 2 })
      expect(response.status).toBe(200)
      await response.text()
      expect(upstream.requests.slice(before).map(targetProvider)).toEqual(['openai'])
      expect(await lastCall()).toMatchObject({ provider: 'openai', outcome: 'completed' })
    },
  )
  test('a request that neither can carry is refused with the reason of the first', async () => {
    const before = counts()
    const response = await ask('gemini', TWO_PROVIDERS, false, { cachedContent: 'cachedContents/x' })
    expect(response.status).toBe(400)
    expect(ERROR_OF.gemini((await response.json()) as JsonObject).message).toContain('cachedContent')
    await expectCounts(before)
  })
})
