// The validator: which values fit, and each fault as a plain value.
import { describe, expect, test } from 'bun:test'
import { type TSchema, Type } from '@sinclair/typebox'
import { type Fault, faultsIn, fits } from '../../src/domain/validation.ts'

const closed = { additionalProperties: false }
const Schema = Type.Object(
  {
    name: Type.String({ minLength: 1, pattern: '^[a-z]', must: 'a name in small letters', code: 'bad_name' }),
    size: Type.Optional(Type.Union([Type.Literal('small'), Type.Literal('large')], { description: 'of it' })),
    parts: Type.Optional(Type.Array(Type.Object({ 'a/b~c': Type.Integer({ minimum: 1 }) }, closed))),
  },
  closed,
)

const brief = ({ path, problem, must }: Fault): [Fault['path'], Fault['problem'], string] => [
  path,
  problem,
  must,
]

describe('a value that fits', () => {
  test.each([[{ name: 'x' }], [{ name: 'x', size: 'small', parts: [{ 'a/b~c': 1 }] }]])('%j', (value) => {
    expect(fits(Schema, value)).toBe(true)
    expect([...faultsIn(Schema, value)]).toEqual([])
  })
})

describe('a fault has a path, a problem, and what the value must be', () => {
  test.each<[value: unknown, faults: ReturnType<typeof brief>[]]>([
    [{}, [[['name'], 'missing', 'a name in small letters']]],
    [{ name: 7 }, [[['name'], 'wrong', 'a name in small letters']]],
    [{ name: 'x', size: 'huge' }, [[['size'], 'wrong', 'one of "small" or "large"']]],
    [{ name: 'x', parts: {} }, [[['parts'], 'wrong', 'an array']]],
    [{ name: 'x', parts: [1] }, [[['parts', 0], 'wrong', 'an object']]],
    [
      { name: 'x', parts: [{ 'a/b~c': 1 }, { 'a/b~c': 0 }] },
      [[['parts', 1, 'a/b~c'], 'wrong', 'a whole number of at least 1']],
    ],
    [[], [[[], 'wrong', 'an object']]],
    ['text', [[[], 'wrong', 'an object']]],
  ])('%j', (value, faults) => {
    expect(fits(Schema, value)).toBe(false)
    expect([...faultsIn(Schema, value)].map(brief)).toEqual(faults)
  })

  test('an unknown field is reported with the allowed ones', () => {
    expect([...faultsIn(Schema, { name: 'x', colour: 'red' })]).toMatchObject([
      { path: ['colour'], problem: 'unknown', allowed: ['name', 'size', 'parts'], found: 'red' },
    ])
  })

  test('several faults: missing fields, unknown ones, wrong ones; one fault for each path', () => {
    const faults = [...faultsIn(Schema, { size: 1, colour: 2, __proto__: null })]
    expect(faults.map(({ path, problem }) => [path.join('.'), problem])).toEqual([
      ['name', 'missing'],
      ['colour', 'unknown'],
      ['size', 'wrong'],
    ])
  })

  test('names of Object.prototype are unknown, too', () => {
    const value = JSON.parse('{"name":"x","__proto__":1,"constructor":2}')
    expect([...faultsIn(Schema, value)].map(({ path, problem }) => [path.join('.'), problem])).toEqual([
      ['__proto__', 'unknown'],
      ['constructor', 'unknown'],
    ])
  })

  test('a schema may have a description and a code', () => {
    const [name, size] = faultsIn(Schema, { name: '', size: '' })
    expect([name?.code, name?.description]).toEqual(['bad_name', undefined])
    expect([size?.code, size?.description]).toEqual([undefined, 'of it'])
  })
})

describe('a schema without its own text is described by its type', () => {
  test.each<[schema: TSchema, must: string]>([
    [Type.String(), 'a string'],
    [Type.Boolean(), 'true or false'],
    [Type.Integer(), 'a whole number'],
    [Type.Integer({ minimum: 1, maximum: 9 }), 'a whole number from 1 to 9'],
    [Type.Number({ minimum: 0 }), 'a number of at least 0'],
    [Type.Array(Type.String(), { minItems: 2 }), 'an array of at least 2'],
    [Type.Literal('day'), '"day"'],
    [Type.Union([Type.Literal('a'), Type.Literal('b'), Type.Literal('c')]), 'one of "a", "b" or "c"'],
    [Type.Null(), 'of another type'],
  ])('%#: %s', (schema, must) => {
    expect([...faultsIn(schema, undefined)].map((fault) => fault.must)).toEqual([must])
  })

  test('in the words of the input format', () => {
    const words = { string: 'text', boolean: 'yes or no', array: 'a list', object: 'a table' }
    expect([...faultsIn(Type.Object({}), 1, words)].map(({ must }) => must)).toEqual(['a table'])
  })
})
