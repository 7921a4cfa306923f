// The reading of a request's JSON body, and refused bodies.
import { expect, test } from 'bun:test'
import { parseJsonBody } from '../../../src/protocols/wire/json-body.ts'

test('a body keeps its bytes', () => {
  const bytes = Buffer.from(' {"a":1,"a":2}')
  expect(parseJsonBody(bytes)).toEqual({
    bytes,
    json: { a: 2 },
    keys: [2, 8],
    respelled: new Set(),
    counted: { values: 2, bare_bytes: 2 },
  })
})

const TOO_DEEP = 'The request body is nested deeper than 500 levels.'
const NOT_JSON = 'The request body is not valid JSON in UTF-8.'
const NOT_AN_OBJECT = 'The request body must be a JSON object.'
const nested = (levels: number) => `{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`

test.each<[string, string | Uint8Array, string | undefined]>([
  ['500 levels', nested(499), undefined],
  ['501 levels', nested(500), TOO_DEEP],
  ['501 levels, cut off', '['.repeat(501), TOO_DEEP],
  ['empty', '', NOT_JSON],
  ['cut off', '{"a":1', NOT_JSON],
  ['a string that does not end', '{"a', NOT_JSON],
  ['two objects', '{}{}', NOT_JSON],
  ['not UTF-8', Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d), NOT_JSON],
  ['a byte order mark', '\ufeff{}', undefined],
  ['two byte order marks', '\ufeff\ufeff{}', NOT_JSON],
  ['an array', '[]', NOT_AN_OBJECT],
  ['null', 'null', NOT_AN_OBJECT],
])('%s', (_, body, message) => {
  const parse = () => parseJsonBody(Buffer.from(body))
  if (message === undefined) expect(parse).not.toThrow()
  else expect(parse).toThrow(message)
})
