// Known values of earlier bodies: which the store recognizes, for which account and name, and which it forgets.
import { describe, expect, test } from 'bun:test'
import { nameIn, namesFrom } from '../../../src/protocols/wire/json-names.ts'
import { computedOnce, hashAt, KnownValues } from '../../../src/protocols/wire/known-values.ts'

const NAMES = namesFrom({ tools: 'value', system: 'value' })
const fieldOf = (name: string) => {
  const field = nameIn(NAMES, Buffer.from(name), 0, name.length)
  if (!field) throw new Error(`no such name: ${name}`)
  return field
}

interface Lookup {
  account_id?: number
  field?: string
  before?: string
  after?: string
}

const startOf = (text: string, { account_id = 1, field = 'tools', before = '', after = '' }: Lookup = {}) => {
  const data = Buffer.from(before + text + after)
  const start = before.length
  return { account_id, field: fieldOf(field), data, start, hash: hashAt(account_id, data, start) }
}

const remember = (known: KnownValues, text: string, lookup?: Lookup) => {
  const at = startOf(text, lookup)
  known.remember(at, at.start + text.length, JSON.parse(text), { values: 3, bare_bytes: 0 })
}

const isKnown = (known: KnownValues, text: string, lookup?: Lookup) =>
  known.find(startOf(text, lookup)) !== undefined

const value = (name: string, length = 300) => JSON.stringify([name.padEnd(length - 4, '.')])
const A = value('a')

/** A store that has seen these values twice. */
const knowing = (...texts: readonly string[]): KnownValues => {
  const known = new KnownValues(100_000)
  for (const text of [...texts, ...texts]) remember(known, text)
  return known
}

describe('a value that came twice is known', () => {
  test.each<[string, Lookup]>([
    ['unchanged', {}],
    ['at another offset', { before: ' { "tools" :' }],
    ['before any other text', { after: ']]]] {' }],
  ])('%s', (_, lookup) => {
    expect(knowing(A).find(startOf(A, lookup))).toMatchObject({ value: JSON.parse(A), values: 3 })
  })

  test('with others that begin alike, up to three', () => {
    const alike = ['b', 'c', 'd', 'e'].map((end) => JSON.stringify(['.'.repeat(300), end]))
    const known = knowing(...alike)
    expect(alike.map((text) => known.find(startOf(text))?.value)).toEqual(
      alike.map((text) => JSON.parse(text)),
    )
    const fifth = JSON.stringify(['.'.repeat(300), 'f'])
    remember(known, fifth)
    remember(known, fifth)
    expect(alike.filter((text) => isKnown(known, text))).toHaveLength(3)
    expect(isKnown(known, fifth)).toBe(true)
  })
})

describe('a value is not known', () => {
  test('that came once', () => {
    const known = new KnownValues(100_000)
    remember(known, A)
    expect(isKnown(known, A)).toBe(false)
  })

  test.each<[string, string, Lookup]>([
    ['to another account', A, { account_id: 2 }],
    ['under another name', A, { field: 'system' }],
    ['that differs at its start', A.replace('a', 'b'), {}],
    ['that differs at its end', A.replace('."', ',"'), {}],
    ['that goes on', `${A.slice(0, -1)},1]`, {}],
    ['that is cut off', A.slice(0, -1), {}],
    ['that is cut off early', A.slice(0, 100), {}],
  ])('%s', (_, text, lookup) => {
    expect(isKnown(knowing(A), text, lookup)).toBe(false)
  })

  test.each<[string, string]>([
    ['of 255 bytes', value('short', 255)],
    ['longer than 256 KB', value('long', 256 * 1024 + 1)],
    ['that is text', JSON.stringify('.'.repeat(300))],
  ])('%s', (_, text) => {
    const known = new KnownValues(2_000_000)
    for (let times = 0; times < 3; times++) remember(known, text)
    expect(isKnown(known, text)).toBe(false)
  })

  test.each([256, 256 * 1024])('but is at %d bytes', (length) => {
    const known = new KnownValues(2_000_000)
    for (let times = 0; times < 2; times++) remember(known, value('just', length))
    expect(isKnown(known, value('just', length))).toBe(true)
  })
})

describe('the store is bounded', () => {
  const some = Array.from({ length: 100 }, (_, index) => value(`number ${index}`, 1_000))

  test('by all its bytes: the newest values stay', () => {
    const known = new KnownValues(10_000)
    for (const text of some) for (let times = 0; times < 2; times++) remember(known, text)
    const isSomeKnown = (text: string) => isKnown(known, text)
    expect(some.slice(0, -10).filter(isSomeKnown)).toEqual([])
    expect(some.slice(-5).every(isSomeKnown)).toBe(true)
  })

  test('by the memory of its values once parsed, if they consist of many small ones', () => {
    const known = new KnownValues(24_000)
    const dense = ['a', 'b', 'c'].map((name) => `["${name}"${',{}'.repeat(150)}]`)
    for (const text of dense)
      for (let times = 0; times < 2; times++) {
        const at = startOf(text)
        known.remember(at, text.length, JSON.parse(text), { values: 301, bare_bytes: 0 })
      }
    expect(dense.map((text) => isKnown(known, text))).toEqual([false, true, true])
  })

  test('and a value in use stays, among any others', () => {
    const known = new KnownValues(10_000)
    for (const text of [A, A]) remember(known, text)
    for (const text of some) {
      for (let times = 0; times < 2; times++) remember(known, text)
      expect(isKnown(known, A)).toBe(true)
    }
  })

  test('and a value that repeats only after more than it holds is not stored', () => {
    const known = new KnownValues(10_000)
    for (let times = 0; times < 3; times++) for (const text of some) remember(known, text)
    expect(some.filter((text) => isKnown(known, text))).toEqual([])
  })
})

describe('a result computed from a value', () => {
  const counting = () => {
    const count = { calls: 0, work: (list: unknown) => ++count.calls && JSON.stringify(list)?.length }
    return count
  }

  test('is computed once for a known value, by each function', () => {
    const found = knowing(A).find(startOf(A))?.value
    const one = counting()
    const other = counting()
    const both = () => [computedOnce(one.work, found), computedOnce(other.work, found)]
    expect([both(), both()]).toEqual(Array(2).fill([A.length, A.length]))
    expect([one.calls, other.calls]).toEqual([1, 1])
  })

  test.each([
    ['an object of the same content', JSON.parse(A)],
    ['text', A],
    ['nothing', undefined],
  ])('is computed each time for %s', (_, other) => {
    const known = knowing(A)
    const count = counting()
    computedOnce(count.work, known.find(startOf(A))?.value)
    for (let times = 0; times < 2; times++) computedOnce(count.work, other)
    expect(count.calls).toBe(3)
  })

  test('is not stored if it is a refusal, which names the current place of the value', () => {
    const found = knowing(A).find(startOf(A))?.value
    const refuse = (_: unknown, path: string) => {
      throw new Error(path)
    }
    expect(() => computedOnce(refuse, found, 'contents[0]')).toThrow('contents[0]')
    expect(() => computedOnce(refuse, found, 'contents[7]')).toThrow('contents[7]')
  })
})
