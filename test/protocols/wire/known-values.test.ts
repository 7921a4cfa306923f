// Values that came before: what is known again, to whom and where, and what is forgotten.
import { describe, expect, test } from 'bun:test'
import { nameIn, namesFrom } from '../../../src/protocols/wire/json-names.ts'
import { computedOnce, hashAt, KnownValues } from '../../../src/protocols/wire/known-values.ts'

const NAMES = namesFrom({ tools: 'value', system: 'value' })
const fieldOf = (name: string) => {
  const field = nameIn(NAMES, Buffer.from(name), 0, name.length)
  if (!field) throw new Error(`no such name: ${name}`)
  return field
}

interface Asked {
  account_id?: number
  field?: string
  before?: string
  after?: string
}

const beginning = (
  text: string,
  { account_id = 1, field = 'tools', before = '', after = '' }: Asked = {},
) => {
  const data = Buffer.from(before + text + after)
  const start = before.length
  return { account_id, field: fieldOf(field), data, start, hash: hashAt(account_id, data, start) }
}

const remember = (known: KnownValues, text: string, asked?: Asked) => {
  const at = beginning(text, asked)
  known.remember(at, at.start + text.length, JSON.parse(text), { values: 3, bare_bytes: 0 })
}

const isKnown = (known: KnownValues, text: string, asked?: Asked) =>
  known.find(beginning(text, asked)) !== undefined

const value = (name: string, length = 300) => JSON.stringify([name.padEnd(length - 4, '.')])
const A = value('a')

/** A store to which some values have come twice. */
const knowing = (...texts: readonly string[]): KnownValues => {
  const known = new KnownValues(100_000)
  for (const text of [...texts, ...texts]) remember(known, text)
  return known
}

describe('a value that came twice is known', () => {
  test.each<[string, Asked]>([
    ['as it was', {}],
    ['at another offset', { before: ' { "tools" :' }],
    ['whatever follows', { after: ']]]] {' }],
  ])('%s', (_, asked) => {
    expect(knowing(A).find(beginning(A, asked))).toMatchObject({ value: JSON.parse(A), values: 3 })
  })

  test('with others that begin alike, up to three', () => {
    const alike = ['b', 'c', 'd', 'e'].map((end) => JSON.stringify(['.'.repeat(300), end]))
    const known = knowing(...alike)
    expect(alike.map((text) => known.find(beginning(text))?.value)).toEqual(
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

  test.each<[string, string, Asked]>([
    ['to another account', A, { account_id: 2 }],
    ['under another name', A, { field: 'system' }],
    ['that differs at its start', A.replace('a', 'b'), {}],
    ['that differs at its end', A.replace('."', ',"'), {}],
    ['that goes on', `${A.slice(0, -1)},1]`, {}],
    ['that is cut off', A.slice(0, -1), {}],
    ['that is cut off early', A.slice(0, 100), {}],
  ])('%s', (_, text, asked) => {
    expect(isKnown(knowing(A), text, asked)).toBe(false)
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

  test.each([256, 256 * 1024])('a value of %d bytes is', (length) => {
    const known = new KnownValues(2_000_000)
    for (let times = 0; times < 2; times++) remember(known, value('just', length))
    expect(isKnown(known, value('just', length))).toBe(true)
  })
})

describe('what is kept is bounded', () => {
  const some = Array.from({ length: 100 }, (_, index) => value(`number ${index}`, 1_000))

  test('by all its bytes: what came last stays', () => {
    const known = new KnownValues(10_000)
    for (const text of some) for (let times = 0; times < 2; times++) remember(known, text)
    const isSomeKnown = (text: string) => isKnown(known, text)
    expect(some.slice(0, -10).filter(isSomeKnown)).toEqual([])
    expect(some.slice(-5).every(isSomeKnown)).toBe(true)
  })

  test('by what they take once they are parsed, where they are of many small values', () => {
    const known = new KnownValues(24_000)
    const dense = ['a', 'b', 'c'].map((name) => `["${name}"${',{}'.repeat(150)}]`)
    for (const text of dense)
      for (let times = 0; times < 2; times++) {
        const at = beginning(text)
        known.remember(at, text.length, JSON.parse(text), { values: 301, bare_bytes: 0 })
      }
    expect(dense.map((text) => isKnown(known, text))).toEqual([false, true, true])
  })

  test('what is used stays, whatever else comes', () => {
    const known = new KnownValues(10_000)
    for (const text of [A, A]) remember(known, text)
    for (const text of some) {
      for (let times = 0; times < 2; times++) remember(known, text)
      expect(isKnown(known, A)).toBe(true)
    }
  })

  test('what comes again only after more than can be kept is not kept at all', () => {
    const known = new KnownValues(10_000)
    for (let times = 0; times < 3; times++) for (const text of some) remember(known, text)
    expect(some.filter((text) => isKnown(known, text))).toEqual([])
  })
})

describe('what is worked out of a value', () => {
  const counting = () => {
    const count = { calls: 0, work: (list: unknown) => ++count.calls && JSON.stringify(list).length }
    return count
  }

  test('of a known one only once, by each function', () => {
    const found = knowing(A).find(beginning(A))?.value
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
  ])('of %s each time', (_, other) => {
    knowing(A)
    const { work } = counting()
    expect([computedOnce(() => 1, other), computedOnce(() => 2, other)]).toEqual([1, 2])
    expect(work(A)).toBeGreaterThan(0)
  })

  test('a refusal is not kept, and names the place that the value has now', () => {
    const found = knowing(A).find(beginning(A))?.value
    const refuse = (_: unknown, path: string) => {
      throw new Error(path)
    }
    expect(() => computedOnce(refuse, found, 'contents[0]')).toThrow('contents[0]')
    expect(() => computedOnce(refuse, found, 'contents[7]')).toThrow('contents[7]')
  })
})
