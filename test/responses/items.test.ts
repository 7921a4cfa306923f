// Items of a kept response's lines: the same as a parse would show, though nothing is parsed.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { itemsOfLine } from '../../plugins/responses/items.ts'
import { isObject, type Json, type JsonObject } from '../../src/protocols/wire/json.ts'
import { endOfTurn } from '../../src/utilities/end-of-turn.ts'
import { IS_LONG } from '../support/long.ts'

const lineOf = (value: Json): Uint8Array => new TextEncoder().encode(JSON.stringify(value))
const ITEM = { response_id: 'resp_1', input_index: 3 }
const RESPONSE = { response_id: 'resp_1', input_index: undefined }

async function itemsOf(value: Json, of: { response_id: string; input_index: number | undefined }) {
  const items = await itemsOfLine(lineOf(value), of)
  return items.map(({ id, json }) => {
    const item: JsonObject = JSON.parse(new TextDecoder().decode(json))
    expect(item.id).toBe(id)
    return item
  })
}

/** The public view of an item, by its parsed value. */
function viewOf(item: JsonObject, index: number): JsonObject {
  const type = typeof item.type === 'string' ? item.type : 'message'
  const prefix = { message: 'msg', function_call: 'fc', function_call_output: 'fco', reasoning: 'rs' }[type]
  const id = typeof item.id === 'string' && item.id !== '' ? item.id : `${prefix ?? 'item'}_1_${index}`
  if (type !== 'message') return { ...item, id, type }
  return { status: 'completed', ...item, id, type, content: contentOf(item) }
}

function contentOf({ role, content }: JsonObject): JsonObject[] {
  if (Array.isArray(content)) return content.filter(isObject)
  if (typeof content !== 'string') return []
  return role === 'assistant'
    ? [{ type: 'output_text', text: content, annotations: [] }]
    : [{ type: 'input_text', text: content }]
}

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('"', '\\', '\\"', '{"id":"x"}', '],[', ''),
)
const anything = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    text,
    fc.constantFrom(null, true, 0, -1.5e300),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(text, tie('value'), { maxKeys: 4, noNullPrototype: true }),
  ) as fc.Arbitrary<Json>,
})).value
const item = fc.record(
  {
    id: fc.oneof(text, anything),
    type: fc.oneof(fc.constantFrom('message', 'function_call', 'reasoning', 'other'), anything),
    status: fc.constantFrom('completed', 'incomplete'),
    role: fc.constantFrom('user', 'assistant'),
    content: fc.oneof(text, fc.array(fc.record({ type: text, text }), { maxLength: 3 }), anything),
    more: anything,
    'a "key"': anything,
  },
  { requiredKeys: [], noNullPrototype: true },
) as fc.Arbitrary<JsonObject>

const RUNS = { numRuns: IS_LONG ? 5_000 : 150 }

describe('items are the same as by a parse', () => {
  test('an input item', () =>
    fc.assert(
      fc.asyncProperty(item, async (one) => {
        expect(await itemsOf(one, ITEM)).toEqual([viewOf(one, 3)])
      }),
      RUNS,
    ))

  test('the output of a response', () =>
    fc.assert(
      fc.asyncProperty(
        anything,
        fc.array(fc.oneof(item, anything), { maxLength: 4 }),
        async (more, output) => {
          const got = await itemsOf({ more, output, after: more }, RESPONSE)
          expect(got).toEqual(output.filter(isObject).map(viewOf))
        },
      ),
      RUNS,
    ))

  test.each<[string, JsonObject]>([
    ['missing', { id: 'resp_1' }],
    ['not a list', { output: { type: 'message' } }],
    ['an empty list', { output: [] }],
  ])('an output that is %s has no items', async (_name, response) => {
    expect(await itemsOf(response, RESPONSE)).toEqual([])
  })
})

test.each(['', '[]', '"x"', '{"role":"user"', '{"role":"us', '{"content":["x"'])(
  'a line that was cut or changed is refused: %s',
  (line) => expect(itemsOfLine(Buffer.from(line), ITEM)).rejects.toThrow(SyntaxError),
)

test.each<[string, JsonObject]>([
  ['a text full of quotes', { role: 'user', content: 'He said "yes".\n'.repeat(200_000) }],
  ['content of many parts', { role: 'user', content: Array.from({ length: 50_000 }, () => ({ text: 'a' })) }],
  ['very many small values', { role: 'user', content: [{ x: Array.from({ length: 500_000 }, () => []) }] }],
])('other work gets its turns while %s is split', async (_name, long) => {
  let turns = 0
  let is_split = false
  const others = (async () => {
    for (; !is_split; turns++) await endOfTurn()
  })()
  const items = await itemsOfLine(lineOf(long), ITEM)
  is_split = true
  await others
  expect(items).toHaveLength(1)
  expect(turns).toBeGreaterThan(5)
})
