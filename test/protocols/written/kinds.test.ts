// Kinds of streamed output: each counts, and once, so that a caller who disconnects gets none of it free.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { anthropic } from '../../../src/protocols/anthropic/index.ts'
import { gemini } from '../../../src/protocols/gemini/index.ts'
import { openai } from '../../../src/protocols/openai/index.ts'
import { responses } from '../../../src/protocols/openai/responses/index.ts'
import { toByteString } from '../../../src/protocols/wire/byte-string.ts'
import type { Json, JsonObject } from '../../../src/protocols/wire/json.ts'
import { DELIVERIES, NO_OUTPUT, TOKENS, type Wire, WORDS } from './deliveries.ts'

const PROTOCOLS = { openai, anthropic, gemini, responses }
const WIRES = Object.keys(DELIVERIES) as Wire[]

const delivered = (wire: Wire, events: readonly (object | string)[]): number => {
  const reading = PROTOCOLS[wire].text.stream.open()
  for (const event of events)
    reading.read(toByteString(Buffer.from(typeof event === 'string' ? event : JSON.stringify(event))))
  return reading.deliveredTokens()
}

describe.each(WIRES)('%s', (wire) => {
  test.each(DELIVERIES[wire].map(({ kind, ...rest }) => [kind, rest] as const))(
    '%s counts',
    (_kind, { events, tokens }) => {
      expect(delivered(wire, events)).toBe(Math.ceil(tokens))
      const spaced = events.map((event) => JSON.stringify(event, null, 1).replaceAll('\n', ' '))
      expect(delivered(wire, spaced)).toBeWithin(tokens, tokens + 5)
    },
  )

  test.each(NO_OUTPUT[wire].map((event) => [JSON.stringify(event)]))('no output in %s', (event) =>
    expect(delivered(wire, [event])).toBe(0),
  )

  test.each(DELIVERIES[wire].map(({ kind, events }) => [kind, events] as const))(
    '%s: an event that is cut off anywhere does not throw',
    (_kind, events) => {
      for (const event of events) {
        const text = JSON.stringify(event).slice(0, 2_000)
        for (let end = 0; end < text.length; end += 7) delivered(wire, [text.slice(0, end)])
      }
    },
  )
})

/** The places of an unknown field in the events of each protocol. */
const UNKNOWN: Readonly<Record<Wire, readonly ((field: JsonObject) => object)[]>> = {
  openai: [
    (field) => ({ choices: [{ index: 0, delta: field }] }),
    (field) => ({ choices: [{ index: 0, delta: { content: '', ...field } }] }),
    (field) => ({ choices: [{ index: 0, delta: { audio: field } }] }),
    (field) => ({ choices: [{ index: 0, delta: { content: '' }, ...field }] }),
  ],
  anthropic: [
    (field) => ({ type: 'content_block_delta', index: 0, delta: { type: 'new_delta', ...field } }),
    (field) => ({ type: 'content_block_start', index: 0, content_block: { type: 'new', ...field } }),
    (field) => ({ type: 'new_event', ...field }),
    (field) => ({ type: 'new_event', first: {}, delta: field }),
    (field) => ({ type: 'content_block_delta', delta: { type: 'text_delta', text: '' }, ...field }),
  ],
  gemini: [
    (field) => ({ candidates: [{ content: { parts: [field] } }] }),
    (field) => ({ candidates: [{ content: { role: 'model', parts: [{ text: '' }, field] } }] }),
    (field) => ({ candidates: [{ content: field }] }),
    (field) => ({ candidates: [{ content: { parts: [{ text: '' }], ...field } }] }),
    (field) => ({ candidates: [{ content: { parts: [{ text: '' }] }, ...field }] }),
  ],
  responses: [
    (field) => ({ type: 'response.new.delta', output_index: 0, ...field }),
    (field) => ({ type: 'response.output_item.done', output_index: 0, item: { type: 'new', ...field } }),
    (field) => ({ type: 'response.new', delta: field }),
    (field) => ({ type: 'response.new.delta', delta: '', ...field }),
    (field) => ({ ...field, type: 'response.output_text.delta', item_id: 'i', delta: '' }),
  ],
}

/** Any JSON with strings in it, at any depth and under any name. */
const { value: anything } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc.constantFrom<Json>(null, true, 12.5),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom('type', 'id', 'text', 'data', 'x', 'delta', 'signature'), tie('value'), {
      maxKeys: 4,
    }),
  ),
}))

const stringBytes = (value: Json): number => {
  if (typeof value === 'string') return Buffer.byteLength(value)
  if (typeof value !== 'object' || value === null) return 0
  return Object.values(value).reduce<number>((sum, each) => sum + stringBytes(each), 0)
}

describe.each(WIRES)('%s: strings in an unknown field', (wire) => {
  test.each(UNKNOWN[wire].map((place, index) => [index, place] as const))(
    'at place %i: four bytes are at least a token (property)',
    (_index, place) => {
      fc.assert(
        fc.property(anything, (value) => {
          // A name that no protocol has, now or soon.
          const tokens = delivered(wire, [place({ zzz_unheard_of: value })])
          expect(tokens).toBeGreaterThanOrEqual(Math.ceil(stringBytes(value) / 4))
        }),
        { numRuns: 300 },
      )
    },
  )
})

describe('a whole answer without a usage', () => {
  const message = (fields: JsonObject) => ({ choices: [{ message: { role: 'assistant', ...fields } }] })
  const content = (fields: JsonObject) => ({ content: [fields] })
  const output = (fields: JsonObject) => ({ output: [fields] })
  const part = (fields: JsonObject) => ({ candidates: [{ content: { parts: [fields] } }] })
  test.each<[Wire, JsonObject, number]>([
    ['openai', message({ content: WORDS }), TOKENS],
    ['openai', message({ content: [{ type: 'text', text: WORDS }] }), TOKENS],
    ['openai', message({ tool_calls: [{ id: 'c', type: 'custom', custom: { input: WORDS } }] }), TOKENS],
    ['openai', message({ reasoning: WORDS, reasoning_details: [{ type: 't', text: WORDS }] }), TOKENS],
    ['openai', message({ reasoning_details: [{ type: 't', data: WORDS }] }), TOKENS],
    ['openai', message({ audio: { id: 'a', transcript: WORDS } }), TOKENS],
    ['openai', message({ images: [{ type: 'image_url', image_url: { url: 'data:,' } }] }), 1_290],
    ['openai', message({ song: [WORDS] }), TOKENS],
    ['anthropic', content({ type: 'text', text: WORDS }), TOKENS],
    ['anthropic', content({ type: 'redacted_thinking', data: WORDS }), TOKENS],
    ['anthropic', content({ type: 'thinking', thinking: WORDS, signature: WORDS }), TOKENS],
    ['anthropic', content({ type: 'thinking', thinking: '', signature: WORDS }), TOKENS],
    ['anthropic', content({ type: 'text', text: '', citations: [{ cited_text: WORDS }] }), TOKENS],
    ['anthropic', content({ type: 'song', verses: [WORDS] }), TOKENS],
    ['gemini', part({ text: WORDS }), TOKENS],
    ['responses', output({ type: 'message', content: [{ type: 'output_text', text: WORDS }] }), TOKENS],
    ['responses', output({ type: 'reasoning', encrypted_content: WORDS }), TOKENS],
    ['responses', output({ type: 'web_search_call', action: { type: 'search', query: WORDS } }), TOKENS],
    ['responses', output({ type: 'song', verses: [WORDS] }), TOKENS],
  ])('%s: %j', (wire, answer, tokens) => {
    expect(PROTOCOLS[wire].text.estimateOutput(answer)).toBe(tokens)
  })
})
