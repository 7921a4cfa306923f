// Parameters in a query string: whole numbers, and names given more than once.
import { describe, expect, test } from 'bun:test'
import { Value } from '@sinclair/typebox/value'
import { doubledParameters, WholeNumber } from '../../src/http/parameters.ts'

describe('a whole number', () => {
  const One = WholeNumber({ minimum: 1, maximum: 1_000 }, 'a whole number')

  test.each([
    ['1', 1],
    ['1000', 1_000],
    ['007', 7],
    [5, 5],
  ])('%p is read as %d', (text, number) => {
    expect(Value.Decode(One, text)).toBe(number)
  })

  test.each<[value: unknown]>([
    ['0'],
    ['1001'],
    ['-1'],
    ['+1'],
    ['1.5'],
    ['1e2'],
    ['0x1'],
    [' 1'],
    ['1 '],
    [''],
    ['x'],
    ['１'],
    ['9'.repeat(16)],
    [0],
    [1_001],
    [1.5],
    [[]],
    [['1']],
    [null],
    [undefined],
  ])('%p is refused', (value) => {
    expect(Value.Check(One, value)).toBe(false)
  })

  test('without a maximum is limited to exact numbers', () => {
    const Any = WholeNumber({ minimum: 1 }, 'a whole number')
    expect(Value.Decode(Any, '9'.repeat(15))).toBe(999_999_999_999_999)
    expect(Value.Check(Any, '9'.repeat(16))).toBe(false)
  })

  test('is a plain integer in the published schema', () => {
    expect(JSON.parse(JSON.stringify(One))).toMatchObject({ type: 'integer', minimum: 1, maximum: 1_000 })
  })
})

describe('repeated names', () => {
  test.each<[query: string, doubled: Record<string, string[]>]>([
    ['', {}],
    ['?', {}],
    ['?a=1', {}],
    ['?a=1&b=1', {}],
    ['?a=1&a=1', { a: ['1', '1'] }],
    ['?a=1&b=2&a=3&b=4&c=5', { a: ['1', '3'], b: ['2', '4'] }],
    ['?a=1&%61=2', { a: ['1', '2'] }],
    ['?a&a', { a: ['', ''] }],
    ['?a=1#&a=2', {}],
  ])('%s', (query, doubled) => {
    expect({ ...doubledParameters(`http://host/path${query}`) }).toEqual(doubled)
  })

  test('__proto__ is a name like any other', () => {
    const doubled = doubledParameters('http://host/?__proto__=1&__proto__=2')
    expect(Object.keys(doubled)).toEqual(['__proto__'])
  })
})
