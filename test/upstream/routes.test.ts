// The order in which a call tries its routes and keys, and the cooldowns of keys.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Provider, Route } from '../../src/domain/catalogue.ts'
import { createCooldowns } from '../../src/upstream/cooldowns.ts'
import { planAttempts } from '../../src/upstream/routes.ts'

const provider = (name: string, api_keys: [string, ...string[]] = ['k']): Provider => ({
  name,
  protocol: 'gemini',
  responses: false,
  base_url: `https://${name}.example`,
  api_keys,
  headers: {},
  first_byte_timeout_ms: 1,
  idle_timeout_ms: 1,
  call_timeout_ms: 1,
  cooldown_ms: 1,
})
const providersOf = (...list: Provider[]) => new Map(list.map((each) => [each.name, each]))
const route = (name: string, rest: Partial<Route> = {}): Route => ({
  provider: name,
  model: `model-of-${name}`,
  weight: 1,
  order: 0,
  ...rest,
})
const NOW_MS = 1_000_000
const well = createCooldowns(() => NOW_MS)

describe('routes', () => {
  const providers = providersOf(provider('a'), provider('b'), provider('c'))
  const names = (routes: Route[], random: () => number) =>
    planAttempts(routes, providers, well, NOW_MS, random).map((attempt) => attempt.provider.name)

  test('are tried by their order, whatever the draw', () => {
    const routes = [route('c', { order: 2 }), route('a'), route('b', { order: 1, weight: 1_000 })]
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (draw) => {
        expect(names(routes, () => draw)).toEqual(['a', 'b', 'c'])
      }),
    )
  })

  test('of one order are drawn by weight: three of four times the one that weighs three times as much', () => {
    const routes = [route('a', { weight: 3 }), route('b')]
    const first = { a: 0, b: 0 }
    let state = 42
    const random = () => {
      state = (state * 1_103_515_245 + 12_345) % 2 ** 31
      return state / 2 ** 31
    }
    for (let n = 0; n < 4_000; n++) first[names(routes, random)[0] as 'a' | 'b']++
    expect(first.a).toBeWithin(2_850, 3_150)
    expect(first.a + first.b).toBe(4_000)
  })

  test('each appears once, with its own model', () => {
    const attempts = planAttempts([route('a'), route('b')], providers, well, NOW_MS, Math.random)
    expect(attempts.map(({ model }) => model).sort()).toEqual(['model-of-a', 'model-of-b'])
  })

  test('to a provider that is no longer in the catalogue are skipped', () => {
    expect(names([route('gone'), route('a', { order: 1 })], Math.random)).toEqual(['a'])
  })

  test('may be none', () => {
    expect(names([route('gone')], Math.random)).toEqual([])
  })
})

describe('keys of one provider', () => {
  const providers = providersOf(provider('a', ['one', 'two', 'three']), provider('b'))
  const keys = (random: () => number, cooldowns = well) =>
    planAttempts([route('a')], providers, cooldowns, NOW_MS, random).map(({ api_key }) => api_key)

  test.each([
    [0, ['one', 'two', 'three']],
    [0.4, ['two', 'three', 'one']],
    [0.99, ['three', 'one', 'two']],
  ])('are tried in turn, beginning anywhere: %d', (draw, expected) => {
    expect(keys(() => draw)).toEqual(expected)
  })

  test('are named by provider and place, never by themselves', () => {
    const attempts = planAttempts([route('a')], providers, well, NOW_MS, () => 0)
    expect(attempts.map(({ key_id }) => key_id)).toEqual(['a#1', 'a#2', 'a#3'])
  })

  test('in cooldown come last, the one that is free again soonest first', () => {
    const cooldowns = createCooldowns(() => NOW_MS)
    cooldowns.failed('a#1', 5_000)
    cooldowns.failed('a#2', 1_000)
    expect(keys(() => 0, cooldowns)).toEqual(['three', 'two', 'one'])
  })

  test('in cooldown come after those of a route of a later order', () => {
    const cooldowns = createCooldowns(() => NOW_MS)
    for (const id of ['a#1', 'a#2', 'a#3']) cooldowns.failed(id, 5_000)
    const routes = [route('a'), route('b', { order: 1 })]
    const attempts = planAttempts(routes, providers, cooldowns, NOW_MS, () => 0)
    expect(attempts.map(({ key_id }) => key_id)).toEqual(['b#1', 'a#1', 'a#2', 'a#3'])
  })
})

describe('a key that failed', () => {
  function cooldowns() {
    let now_ms = 0
    const book = createCooldowns(() => now_ms)
    return { book, at: (ms: number) => (now_ms = ms) }
  }

  test('has a longer cooldown with each failure in a row, up to ten minutes', () => {
    const { book } = cooldowns()
    const rests = [1, 2, 3, 4, 5, 6, 7, 8, 9, 20].map(() => {
      book.failed('k', 10_000)
      return book.coolingUntil('k')
    })
    expect(rests).toEqual([10, 20, 40, 80, 160, 320, 600, 600, 600, 600].map((s) => s * 1_000))
  })

  test('has a cooldown of at least what the provider asks for, ten minutes at most', () => {
    const { book } = cooldowns()
    book.failed('k', 10_000, 45_000)
    expect(book.coolingUntil('k')).toBe(45_000)
    book.failed('j', 10_000, 86_400_000)
    expect(book.coolingUntil('j')).toBe(600_000)
    book.failed('i', 10_000, 1_000)
    expect(book.coolingUntil('i')).toBe(10_000)
  })

  test('has no cooldown after one success, and starts from the first one again', () => {
    const { book, at } = cooldowns()
    book.failed('k', 10_000)
    book.failed('k', 10_000)
    book.succeeded('k')
    expect(book.coolingUntil('k')).toBe(0)
    at(5_000)
    book.failed('k', 10_000)
    expect(book.coolingUntil('k')).toBe(15_000)
  })

  test('may have no cooldown at all', () => {
    const { book } = cooldowns()
    for (let n = 0; n < 2_000; n++) book.failed('k', 0)
    expect(book.coolingUntil('k')).toBe(0)
  })

  test('does not affect another key', () => {
    const { book } = cooldowns()
    book.failed('k', 10_000)
    book.succeeded('j')
    expect([book.coolingUntil('j'), book.coolingUntil('k')]).toEqual([0, 10_000])
  })
})
