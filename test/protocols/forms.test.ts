// Forms of requests: the checks of a caller's fields, and requests of real clients, which fit them.
import { describe, expect, test } from 'bun:test'
import type { TObject } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { GatewayError } from '../../src/domain/errors.ts'
import { MessagesRequest } from '../../src/protocols/anthropic/decode-request.ts'
import {
  Anything,
  Choice,
  Count,
  Fields,
  Flag,
  List,
  OpenObject,
  optional,
  Quantity,
  readObject,
  readPresent,
  Text,
} from '../../src/protocols/forms.ts'
import { GenerateContentRequest } from '../../src/protocols/gemini/decode-request.ts'
import { ChatRequest } from '../../src/protocols/openai/decode-request.ts'
import type { Json, JsonObject } from '../../src/protocols/wire/json.ts'
import { PROTOCOLS, readRequest } from './translation/recordings.ts'

const Thing = Fields({
  text: Text,
  flag: Flag,
  quantity: Quantity,
  count: Count,
  choice: Choice({ one: 1, two: 2 }),
  only: Choice({ one: 1 }),
  open: OpenObject,
  list: List(Text),
  within: Fields({ text: Text }),
  any: Anything,
  maybe_text: optional(Text),
  maybe_within: optional(Fields({ text: Text })),
})

const THING: JsonObject = {
  text: 'a',
  flag: false,
  quantity: -0.5,
  count: 0,
  choice: 'two',
  only: 'one',
  open: { a: 1 },
  list: ['a'],
  within: { text: 'a' },
}

function refusalOf(value: Json | undefined, path = ''): GatewayError {
  try {
    readObject(Thing, value, path)
  } catch (thrown) {
    if (thrown instanceof GatewayError) return thrown
    throw thrown
  }
  throw new Error('the object was not refused')
}

describe('a caller’s object', () => {
  test('that fits its form is returned as the very same object, with all further fields', () => {
    const thing = { ...THING, more: 1 }
    expect<unknown>(readObject(Thing, thing, '')).toBe(thing)
  })

  test.each<JsonObject>([
    { any: null },
    { any: [1] },
    { maybe_text: null, maybe_within: null },
    { maybe_text: 'a', maybe_within: { text: 'a' } },
    { list: [] },
    { open: {} },
  ])('may have %j', (fields) => {
    expect<unknown>(readObject(Thing, { ...THING, ...fields }, '')).toEqual({ ...THING, ...fields })
  })

  test.each<[string, Json | undefined, string]>([
    ['text', 1, 'must be a string.'],
    ['text', null, 'must be a string.'],
    ['text', undefined, 'is missing; it must be a string.'],
    ['flag', 'true', 'must be true or false.'],
    ['quantity', '1', 'must be a number.'],
    ['quantity', undefined, 'is missing; it must be a number.'],
    ['count', 1.5, 'must be a whole number, 0 or more.'],
    ['count', -1, 'must be a whole number, 0 or more.'],
    ['count', 2 ** 53, 'must be a whole number, 0 or more.'],
    ['choice', 'three', 'must be one of one, two.'],
    ['choice', 'toString', 'must be one of one, two.'],
    ['choice', 1, 'must be a string.'],
    ['only', 'two', 'must be one of one.'],
    ['open', [], 'must be an object.'],
    ['list', {}, 'must be an array.'],
    ['within', 'a', 'must be an object.'],
    ['maybe_text', 1, 'must be a string.'],
  ])('is refused with the field’s path: %s that is %j', (name, value, problem) => {
    const { [name]: _, ...others } = THING
    const request = value === undefined ? others : { ...THING, [name]: value }
    expect(refusalOf(request).message).toBe(`${name}: ${problem}`)
    expect(refusalOf(request, 'a[0]').param).toBe(`a[0].${name}`)
  })

  test.each<[JsonObject, string]>([
    [{ within: {} }, 'within.text'],
    [{ maybe_within: { text: 1 } }, 'maybe_within.text'],
    [{ list: ['a', 2] }, 'list[1]'],
    [{ list: 1, text: 1 }, 'text'],
  ])('is refused with the whole path of its first fault: %j', (fields, path) => {
    expect(refusalOf({ ...THING, ...fields }).param).toBe(path)
  })

  test.each<Json | undefined>([undefined, null, 'a', [1]])('cannot be %j', (value) => {
    expect(refusalOf(value, 'a').message).toContain('must be an object.')
  })

  test('is read without its nulls on request, and without any it is the very same object', () => {
    const read = readPresent(Thing, { ...THING, maybe_text: null }, '')
    expect(read).not.toHaveProperty('maybe_text')
    expect<unknown>(readPresent(Thing, THING, '')).toBe(THING)
  })
})

const wrongIn = (form: TObject, value: unknown): string[] =>
  [...Value.Errors(form, value)].map(({ path, message }) => `${path}: ${message}`)

describe('requests of real clients fit their form', () => {
  const FORMS = { gemini: GenerateContentRequest, anthropic: MessagesRequest, openai: ChatRequest }
  for (const protocol of PROTOCOLS)
    test.each(['agent', 'settings'])(`${protocol}: %s`, (name) => {
      expect(wrongIn(FORMS[protocol], readRequest(protocol, name))).toEqual([])
    })
})
