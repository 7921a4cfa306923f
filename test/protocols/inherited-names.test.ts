// Names that every object inherits, and objects in place of numbers and texts: JSON from outside that could confuse the code.
import { describe, expect, test } from 'bun:test'
import { anthropic } from '../../src/protocols/anthropic/index.ts'
import { strictSchema } from '../../src/protocols/anthropic/schema.ts'
import { gemini } from '../../src/protocols/gemini/index.ts'
import { fromGeminiSchema } from '../../src/protocols/gemini/schema.ts'
import { openai } from '../../src/protocols/openai/index.ts'
import { PublicEvents } from '../../src/protocols/openai/responses/public-response.ts'
import { type Json, lookUp } from '../../src/protocols/wire/json.ts'

const STRANGE: Json = { toString: 1, valueOf: 2 }

test.each(['format', 'minItems', 'maxLength', 'type'])(
  "a Gemini schema's %s passes through unchanged",
  (keyword) => {
    expect(fromGeminiSchema({ [keyword]: STRANGE })).toEqual({ [keyword]: STRANGE })
  },
)

test("a strict schema's minItems passes through unchanged", () => {
  expect(strictSchema({ type: 'array', minItems: STRANGE })).toMatchObject({ minItems: STRANGE })
})

test.each(['output_index', 'item'])("an event's invalid %s means the first item", (field) => {
  const events = new PublicEvents({ call_id: 'req_1', model: 'm', request_fields: {}, issuer: 'i' })
  const event = {
    type: 'response.output_item.added',
    output_index: 0,
    item: { type: 'message', id: 'msg_1' } as Json,
    [field]: field === 'item' ? { type: 'message', id: STRANGE } : STRANGE,
  }
  const first = new PublicEvents({ call_id: 'req_1', model: 'm', request_fields: {}, issuer: 'i' })
  const plain = JSON.parse(first.event(JSON.stringify({ ...event, output_index: 0 })))
  expect(JSON.parse(events.event(JSON.stringify(event))).item.id).toBe(plain.item.id)
})

const INHERITED = ['__proto__', 'constructor', 'hasOwnProperty', 'isPrototypeOf', 'toString', 'valueOf']
const UNKNOWN = 'of-no-known-type'

test.each([
  ['a', 1],
  ['b', undefined],
  ['constructor', undefined],
  [1, undefined],
  [undefined, undefined],
])('%p', (name, expected) => {
  expect(lookUp({ a: 1 }, name)).toBe(expected)
})

describe.each(INHERITED)('%s', (name) => {
  const texts = (type: string) => [{ role: 'user', content: [{ type, text: 'x'.repeat(4_000) }] }]

  test.each([
    ['messages', (type: string) => anthropic.text.readRequest({ max_tokens: 5, messages: texts(type) })],
    ['chat completions', (type: string) => openai.text.readRequest({ messages: texts(type) })],
  ])('as the type of a block in a request of %s counts as an unknown type', (_, read) => {
    const { input_tokens } = read(name)
    // The name itself counts too.
    expect(Math.abs(input_tokens - read(UNKNOWN).input_tokens)).toBeLessThan(5)
  })

  test("as the type of a block in Claude's answer is left out", () => {
    const { candidates } = anthropic.text.decodeAnswer(
      { content: [{ type: name }, { type: 'text', text: 'Hello.' }], stop_reason: name },
      'call-1',
    )
    expect(candidates).toMatchObject([{ parts: [{ kind: 'text', text: 'Hello.' }], stop_reason: 'other' }])
  })

  test("as the type of an event, a block or a delta in Claude's stream is skipped", () => {
    const decoder = anthropic.text.createStreamDecoder('call-1')
    const events = [
      { type: name },
      { type: 'content_block_start', index: 0, content_block: { type: name } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: name } },
    ]
    expect(events.flatMap((event) => decoder.decode(JSON.stringify(event)))).toEqual([
      { type: 'part_start', candidate: 0, part: { kind: 'text' } },
    ])
  })

  test('as the code of a refusal leaves the class of its status', () => {
    const refusal = JSON.stringify({ error: { code: name, message: 'no' } })
    expect(openai.readFailure(429, new Headers(), refusal).failure_class).toBe('rate_limited')
  })

  test('as the ending of a URL is unknown', () => {
    const urls = [{ type: 'image_url', image_url: { url: `https://a.example/b.${name}` } }]
    const request = openai.text.decodeRequest(
      { model: 'm', messages: [{ role: 'user', content: urls }] },
      false,
    )
    const to = { model: 'm', max_output_tokens: 100 }
    expect(() => gemini.text.encodeRequest(request, to)).toThrow('this model needs an image URL that ends in')
  })
})
