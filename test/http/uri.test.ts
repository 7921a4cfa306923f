// Decoding of path parts.
import { expect, test } from 'bun:test'
import { decodePathPart } from '../../src/http/parameters.ts'

test.each([
  ['plain', 'plain'],
  ['a%2Fb', 'a/b'],
  ['a%252Fb', 'a%2Fb'],
  ['%C3%A4', 'ä'],
  ['a+b', 'a+b'],
  ['%', '%'],
  ['%ff', '%ff'],
  ['%E0%A4%A', '%E0%A4%A'],
  ['', ''],
])('%s decodes to %p', (encoded, text) => {
  expect(decodePathPart(encoded)).toBe(text)
})
