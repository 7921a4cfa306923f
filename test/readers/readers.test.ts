// Request bodies that JSON readers could read differently where price, model or limit depend on it: refused, or written anew.
// Go's encoding/json and two lenient readers read each sent body as it was priced.
import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import fc from 'fast-check'
import { readCallTarget } from '../../src/calls/bodies/arrival.ts'
import { ParsedBody } from '../../src/calls/kinds/text/body.ts'
import type { Writing } from '../../src/calls/kinds/text/writing.ts'
import { GatewayError } from '../../src/domain/errors.ts'
import { anthropic } from '../../src/protocols/anthropic/index.ts'
import type { RequestFacts } from '../../src/protocols/facts.ts'
import { gemini } from '../../src/protocols/gemini/index.ts'
import { openai } from '../../src/protocols/openai/index.ts'
import { BUILT_IN_REGISTRY } from '../../src/protocols/registry.ts'
import { type JsonBody, parseJsonBody } from '../../src/protocols/wire/json-body.ts'
import { PROVIDER } from '../support/catalogue.ts'
import { answer as nativeAnswer, wholePath } from '../support/native.ts'
import { fileScene } from '../support/scene.ts'
import { modelSection, providerSection } from '../support/sections.ts'
import { type Script, whole } from '../support/upstream.ts'
import { BODIES, MODEL_OF } from './bodies.ts'
import { HAS_GO, KINDS, type Kind, type Question, type Reading, type Readings, readByGo } from './readings.ts'

const SERVED = 'served-model'
const OUTPUT_NANOS = 4_000
const MAX_OUTPUT_TOKENS = 16_384
const TEXT_PROTOCOLS = { chat: openai, messages: anthropic, generate: gemini } as const

const textModel = (id: string, provider: string) =>
  modelSection(id, { [provider]: SERVED }, { more: `max_output_tokens = ${MAX_OUTPUT_TOKENS}` })
const providerOf = (protocol: string, url: string) =>
  providerSection(protocol, protocol, `${url}/${protocol}`, '', [])
const { call, upstream, gateway, counts, expectCounts } = await fileScene({
  more: (url) => `${providerOf('openai', url)}${providerOf('anthropic', url)}
${textModel(MODEL_OF.chat, 'openai')}${textModel(MODEL_OF.messages, 'anthropic')}${textModel(MODEL_OF.generate, PROVIDER)}
${modelSection(MODEL_OF.embeddings, { openai: SERVED }, { kind: 'embedding', price: 'input = 1' })}
`,
})

const PATHS: Readonly<Record<Kind, string>> = {
  chat: '/v1/chat/completions',
  messages: '/v1/messages',
  generate: wholePath(MODEL_OF.generate),
  embeddings: '/v1/embeddings',
}
const ANSWERS: Readonly<Record<Kind, object>> = {
  chat: {
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hello.' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 10, completion_tokens: 5 },
  },
  messages: {
    type: 'message',
    role: 'assistant',
    content: [{ type: 'text', text: 'Hello.' }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 10, output_tokens: 5 },
  },
  generate: nativeAnswer(),
  embeddings: { data: [{ index: 0, embedding: [0, 1] }], usage: { prompt_tokens: 1 } },
}
const answering =
  (kind: Kind): Script =>
  () =>
    whole(ANSWERS[kind])
const VERSION = { 'anthropic-version': '2023-06-01' }

async function post(kind: Kind, body: string): Promise<Response> {
  upstream.answer(answering(kind))
  return call(PATHS[kind], body, { headers: VERSION })
}

/** The values that all readers must have read from a body with these priced facts. */
const readAs = (
  { max_output_tokens, candidates }: RequestFacts,
  kind: Kind,
  streams: boolean,
): {
  model: string | undefined
  stream: true | undefined
  limit: number | undefined
  candidates: number | undefined
} => ({
  model: kind === 'generate' ? undefined : SERVED,
  stream: streams || undefined,
  // Minus zero is sent as 0.
  limit: max_output_tokens === 0 ? 0 : max_output_tokens,
  candidates: candidates === 1 ? undefined : candidates,
})
const found = ({ model, stream, limit, candidates }: Reading): ReturnType<typeof readAs> => ({
  model,
  stream,
  limit: limit ?? undefined,
  candidates: candidates === 1 ? undefined : (candidates ?? undefined),
})
const served = (readings: Readings): Reading[] => Object.values(readings).filter(({ refused }) => !refused)

const FIXTURE = Bun.file(join(import.meta.dir, '../fixtures/readings/readings.json'))
const nameOf = ({ kind, body }: Question) => `${kind} ${Buffer.from(body).toString()}`

/** The readings of the fixture. If Go is installed, its own readings must equal them. */
async function readingsOf(questions: readonly Question[]): Promise<Readings[]> {
  if (HAS_GO && process.env.UPDATE_GOLDEN) {
    const read = await readByGo(questions)
    const named = Object.fromEntries(questions.map((question, at) => [nameOf(question), read[at]]))
    await Bun.write(FIXTURE, `${JSON.stringify(named, null, 1)}\n`)
  }
  const kept: Record<string, Readings> = await FIXTURE.json()
  const expected = questions.map((question) => {
    const readings = kept[nameOf(question)]
    if (!readings) throw new Error(`the fixture has no reading of ${nameOf(question)}`)
    return readings
  })
  if (HAS_GO) expect(await readByGo(questions)).toEqual(expected)
  return expected
}

describe('a body that readers differ on', () => {
  const refusals = BODIES.flatMap(({ fate, ...body }) => (fate === 'sent' ? [] : [{ ...body, ...fate }]))
  test.each(refusals)('$kind $body is refused for $refused', async ({ kind, body, refused }) => {
    const before = counts()
    const response = await post(kind, body)
    const { error } = (await response.json()) as { error: { message: string } }
    expect({ status: response.status, message: error.message }).toEqual({
      status: 400,
      message: expect.stringMatching(new RegExp(`^${refused.replace(/[[\].]/g, '\\$&')}: .*[.]$`)),
    })
    await expectCounts(before)
  })

  test('is otherwise sent so that every server reads it as the hold covers it', async () => {
    const sent: { question: Question; held_nanos: number; facts: RequestFacts }[] = []
    for (const { kind, body, fate } of BODIES) {
      if (fate !== 'sent') continue
      const response = await post(kind, body)
      expect({ body, status: response.status }).toEqual({ body, status: 200 })
      await response.arrayBuffer()
      const bytes = upstream.last().body
      const json = JSON.parse(bytes.toString())
      sent.push({
        question: { kind, body: bytes },
        held_nanos: gateway.rows().holds.at(-1)?.amount_nanos ?? 0,
        facts:
          kind === 'embeddings'
            ? { input_tokens: 1, input_bound_tokens: 1, max_output_tokens: undefined, candidates: 1 }
            : TEXT_PROTOCOLS[kind].text.readRequest(json),
      })
    }
    const readings = await readingsOf(sent.map(({ question }) => question))
    for (const [at, { question, facts: priced, held_nanos }] of sent.entries()) {
      const all = served(readings[at] ?? ({} as Readings))
      expect(all.length).toBeGreaterThan(0)
      for (const reading of all) {
        expect({ of: nameOf(question), ...found(reading) }).toEqual({
          of: nameOf(question),
          ...readAs(priced, question.kind, false),
        })
        if (question.kind === 'embeddings') continue
        const most_nanos = (reading.limit ?? MAX_OUTPUT_TOKENS) * (reading.candidates ?? 1) * OUTPUT_NANOS
        expect(held_nanos).toBeGreaterThanOrEqual(most_nanos)
      }
    }
  })
})

/** Other spellings of a name, most of which some reader treats as the name. */
const spellings = (name: string): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 12, arbitrary: fc.constant(name) },
    fc.constantFrom(
      name.toUpperCase(),
      `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`,
      name.replace('k', '\u212a'),
      name.replace('s', '\u017f'),
      name.replaceAll('_', ''),
      name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      `${name}\0`,
      `x_${name}`,
    ),
  )

/** A name as JSON text, sometimes with needless escapes. */
const quoted = (name: string): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 20, arbitrary: fc.constant(JSON.stringify(name)) },
    fc.constant(`"\\u${name.charCodeAt(0).toString(16).padStart(4, '0')}${JSON.stringify(name).slice(2)}`),
  )

const COUNTS = ['1', '7', '2.0', '1e1', '90', '0', '-0', '-1', '0.7e1', '1.5', '1e400', 'null', '"5"', '5000']
const FLAGS = ['true', 'false', 'null', '1', '"true"']
const field = (name: string, values: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.tuple(spellings(name).chain(quoted), values).map((pair) => pair.join(':'))
const anyOf = (...values: string[]) => fc.constantFrom(...values)
const objectOf = (...fields: fc.Arbitrary<string>[]) =>
  fc.array(fc.oneof(...fields), { maxLength: 3 }).map((all) => `{${all.join(',')}}`)
const PROMPTS = ['[{"role":"user","content":"Hi"}]', '[{"content":[{"type":"text","text":"Hi"}]}]']

const FIELDS: Readonly<Record<Exclude<Kind, 'embeddings'>, { needed: string; more: fc.Arbitrary<string> }>> =
  {
    chat: {
      needed: `"model":"asked","messages":${PROMPTS[0]}`,
      more: fc.oneof(
        field('model', anyOf('"asked"', '"dear"', 'null')),
        field('messages', anyOf(...PROMPTS)),
        field('max_tokens', anyOf(...COUNTS)),
        field('max_completion_tokens', anyOf(...COUNTS)),
        field('n', anyOf(...COUNTS)),
        field('stream', anyOf(...FLAGS)),
        field('metadata', objectOf(field('model', anyOf('"x"')), field('n', anyOf(...COUNTS)))),
      ),
    },
    messages: {
      needed: `"model":"asked","messages":${PROMPTS[1]}`,
      more: fc.oneof(
        field('max_tokens', anyOf(...COUNTS)),
        field('max_tokens', anyOf('9', '3')),
        field('model', anyOf('"asked"', '"dear"')),
        field('stream', anyOf(...FLAGS)),
        field('system', anyOf('"Be brief."')),
      ),
    },
    generate: {
      needed: '"contents":[{"parts":[{"text":"Hi"}]}]',
      more: fc.oneof(
        field(
          'generationConfig',
          objectOf(field('maxOutputTokens', anyOf(...COUNTS)), field('candidateCount', anyOf(...COUNTS))),
        ),
        field('contents', anyOf('[{"parts":[{"text":"Other"}]}]')),
        field('model', anyOf('"models/dear"')),
      ),
    },
  }

interface Priced {
  question: Question
  facts: RequestFacts
  streams: boolean
}

const writtenBody = (body: JsonBody, writing: Writing): Uint8Array | string =>
  new ParsedBody(BUILT_IN_REGISTRY, body).write(writing).body

/** The body as the gateway sends it, with its priced facts; undefined if it is refused, which must be the caller's fault. */
function passed(kind: Exclude<Kind, 'embeddings'>, text: string): Priced | undefined {
  const protocol = TEXT_PROTOCOLS[kind]
  try {
    const body = parseJsonBody(Buffer.from(text), protocol.text.names)
    const { streams } = kind === 'generate' ? { streams: false } : readCallTarget(body.json)
    const facts = protocol.text.readRequest(body.json)
    const own = { from: protocol.name, to: protocol.name, streams }
    const limits = { max_output_tokens: MAX_OUTPUT_TOKENS, output_limit: undefined }
    const served = { model: SERVED, automatic_caching: false, ...limits }
    const sent = writtenBody(body, { ...own, ...served })
    return { question: { kind, body: sent }, facts, streams }
  } catch (thrown) {
    if (thrown instanceof GatewayError && thrown.kind === 'invalid_request') return undefined
    throw thrown
  }
}

describe.skipIf(!HAS_GO)('property of generated bodies', () => {
  test.each(KINDS.filter((kind) => kind !== 'embeddings'))(
    '%s: every server reads a body that is not refused as it was priced',
    async (kind) => {
      const { needed, more } = FIELDS[kind]
      const body = fc.array(more, { maxLength: 4 }).map((fields) => `{${[needed, ...fields].join(',')}}`)
      const bodies = fc.sample(body, { numRuns: 4_000, seed: 20_261_121 })
      const sent = bodies.flatMap((text) => passed(kind, text) ?? [])
      // Neither is rare: the property is about both.
      expect(sent.length).toBeGreaterThan(200)
      expect(bodies.length - sent.length).toBeGreaterThan(200)
      const readings = await readByGo(sent.map(({ question }) => question))
      for (const [at, { question, facts, streams }] of sent.entries())
        for (const reading of served(readings[at] ?? ({} as Readings)))
          expect({ of: nameOf(question), ...found(reading) }).toEqual({
            of: nameOf(question),
            ...readAs(facts, kind, streams),
          })
    },
  )
})
