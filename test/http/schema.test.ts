// The shared types of schemas.
import { expect, test } from 'bun:test'
import { Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { Nullable, OneOf } from '../../src/http/schema.ts'

test('OneOf accepts exactly its words', () => {
  const Colour = OneOf(['red', 'green'])
  expect(['red', 'green', 'Red', ''].map((word) => Value.Check(Colour, word))).toEqual([
    true,
    true,
    false,
    false,
  ])
  expect(Colour.must).toBe('one of red, green')
})

test('Nullable accepts its type and null', () => {
  const Count = Nullable(Type.Integer())
  expect([1, null, undefined, '1'].map((value) => Value.Check(Count, value))).toEqual([
    true,
    true,
    false,
    false,
  ])
})
