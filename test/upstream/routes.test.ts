// The order in which a call tries its routes and keys, and the cooldowns of keys.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Provider, Route } from '../../src/domain/catalogue.ts'
import { createCooldowns } from '../../src/upstream/cooldowns.ts'
import { hasChoice, planAttempts, seedFrom, seedOf } from '../../src/upstream/routes.ts'

const provider = (name: string, api_keys: [string, ...string[]] = ['k']): Provider => ({
  name,
  protocol: 'gemini',
  responses: false,
  key_header: 'x-goog-api-key',
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

/** Sessions of one account, each with its seed. */
const SEEDS = Array.from({ length: 8_000 }, (_, n) => seedOf(7, `session ${n}`))
const seeds = fc.nat({ max: 2 ** 32 - 1 })

describe('routes', () => {
  const providers = providersOf(provider('a'), provider('b'), provider('c'))
  const names = (routes: Route[], seed: number, cooldowns = well) =>
    planAttempts(routes, providers, cooldowns, NOW_MS, seed).map((attempt) => attempt.provider.name)
  /** The share of the sessions that try the first route of the list first. */
  const shareOf = (routes: Route[]) =>
    SEEDS.filter((seed) => names(routes, seed)[0] === routes[0]?.provider).length / SEEDS.length

  test('are tried by their order, whatever the session', () => {
    const routes = [route('c', { order: 2 }), route('a'), route('b', { order: 1, weight: 1_000 })]
    fc.assert(fc.property(seeds, (seed) => expect(names(routes, seed)).toEqual(['a', 'b', 'c'])))
  })

  test.each([
    [[1, 1], 1 / 2],
    [[3, 1], 3 / 4],
    [[1, 3], 1 / 4],
    [[1, 99], 1 / 100],
    [[2, 1, 1], 1 / 2],
    [[1, 1, 8], 1 / 10],
  ])('of one order and the weights %j have sessions by weight: the first one %d', (weights, share) => {
    const routes = weights.map((weight, index) => route('abc'.charAt(index), { weight }))
    // Four standard deviations.
    const tolerance = 4 * Math.sqrt((share * (1 - share)) / SEEDS.length)
    expect(shareOf(routes)).toBeWithin(share - tolerance, share + tolerance)
  })

  test('of one order are chosen by weight for calls without a session, too', () => {
    const routes = [route('a', { weight: 3 }), route('b')]
    const sampled = Array.from({ length: 4_000 }, (_, n) => seedFrom(n / 4_000))
    const first = sampled.filter((seed) => names(routes, seed)[0] === 'a').length
    expect(first).toBeWithin(2_850, 3_150)
  })

  test('of a session are the same in each of its calls, however they are listed', () => {
    const routes = [route('a', { weight: 2 }), route('b'), route('c')]
    fc.assert(
      fc.property(seeds, (seed) => {
        expect(names([...routes].reverse(), seed)).toEqual(names(routes, seed))
      }),
    )
  })

  test('that are added take sessions, and leave the others where they were', () => {
    const before = [route('a'), route('b')]
    const after = [...before, route('c')]
    const moved = SEEDS.filter((seed) => names(after, seed)[0] !== names(before, seed)[0])
    expect(moved.every((seed) => names(after, seed)[0] === 'c')).toBe(true)
    expect(moved.length / SEEDS.length).toBeWithin(0.31, 0.36)
  })

  test('whose key is in cooldown are skipped by a session, which comes back afterwards', () => {
    let now_ms = NOW_MS
    const cooldowns = createCooldowns(() => now_ms)
    const at = (seed: number) =>
      planAttempts([route('a'), route('b')], providers, cooldowns, now_ms, seed)[0]?.provider.name
    const home = SEEDS.slice(0, 100).map(at)
    cooldowns.failed('a#1', 5_000)
    expect(new Set(SEEDS.slice(0, 100).map(at))).toEqual(new Set(['b']))
    now_ms += 5_000
    expect(SEEDS.slice(0, 100).map(at)).toEqual(home)
  })

  test('each appears once, with its own model', () => {
    const attempts = planAttempts([route('a'), route('b')], providers, well, NOW_MS, 1)
    expect(attempts.map(({ model }) => model).sort()).toEqual(['model-of-a', 'model-of-b'])
  })

  test('to a removed provider are skipped', () => {
    expect(names([route('gone'), route('a', { order: 1 })], 1)).toEqual(['a'])
  })

  test('may be an empty list', () => {
    expect(names([route('gone')], 1)).toEqual([])
  })
})

describe("a call's session matters", () => {
  const providers = providersOf(provider('a'), provider('b'), provider('c', ['one', 'two']))
  test.each([
    ['not to a model with one route to a provider with one key', ['a'], false],
    ['not to one whose provider was removed', ['gone'], false],
    ['to a model with two routes', ['a', 'b'], true],
    ['to a model whose provider has two keys', ['c'], true],
  ])('%s', (_, names, matters) => {
    const routes = names.map((name) => route(name))
    expect(hasChoice(routes, providers)).toBe(matters)
  })
})

describe('the seed of a session', () => {
  test.each([
    ['is the same each time', seedOf(1, 's'), true],
    ['differs for another session', seedOf(1, 't'), false],
    ['differs for the same id in another account', seedOf(2, 's'), false],
  ])('%s', (_, seed, same) => {
    expect(seed === seedOf(1, 's')).toBe(same)
  })
})

describe('keys of one provider', () => {
  const KEYS = ['one', 'two', 'three'] as const
  const providers = providersOf(provider('a', [...KEYS]), provider('b'))
  const keys = (seed: number, cooldowns = well) =>
    planAttempts([route('a')], providers, cooldowns, NOW_MS, seed).map(({ api_key }) => api_key)

  test('are all tried, and a third of the sessions begins at each', () => {
    const first = SEEDS.map((seed) => keys(seed)[0])
    for (const key of KEYS)
      expect(first.filter((one) => one === key).length / SEEDS.length).toBeWithin(0.31, 0.36)
    for (const seed of SEEDS.slice(0, 100)) expect(keys(seed).toSorted()).toEqual([...KEYS].toSorted())
  })

  test('keep their sessions when another one is taken out of the list', () => {
    const fewer = providersOf(provider('a', ['one', 'three']))
    const stays = SEEDS.filter((seed) => keys(seed)[0] !== 'two')
    const first = (seed: number) => planAttempts([route('a')], fewer, well, NOW_MS, seed)[0]?.api_key
    expect(stays.map(first)).toEqual(stays.map((seed) => keys(seed)[0]))
  })

  test('are named by provider and place, never by themselves', () => {
    const attempts = planAttempts([route('a')], providers, well, NOW_MS, 1)
    const named = attempts.map(({ api_key, key_id }) => [api_key, key_id])
    expect(Object.fromEntries(named)).toEqual({ one: 'a#1', two: 'a#2', three: 'a#3' })
  })

  test('in cooldown come last, the one that is free again soonest first', () => {
    const cooldowns = createCooldowns(() => NOW_MS)
    cooldowns.failed('a#1', 5_000)
    cooldowns.failed('a#2', 1_000)
    fc.assert(fc.property(seeds, (seed) => expect(keys(seed, cooldowns)).toEqual(['three', 'two', 'one'])))
  })

  test('in cooldown come after those of a route of a later order', () => {
    const cooldowns = createCooldowns(() => NOW_MS)
    for (const id of ['a#1', 'a#2', 'a#3']) cooldowns.failed(id, 5_000)
    const routes = [route('a'), route('b', { order: 1 })]
    const [first, ...others] = planAttempts(routes, providers, cooldowns, NOW_MS, 1)
    expect(first?.key_id).toBe('b#1')
    expect(others.map(({ key_id }) => key_id).sort()).toEqual(['a#1', 'a#2', 'a#3'])
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
    const cooldowns_ms = [1, 2, 3, 4, 5, 6, 7, 8, 9, 20].map(() => {
      book.failed('k', 10_000)
      return book.coolingUntil('k')
    })
    expect(cooldowns_ms).toEqual([10, 20, 40, 80, 160, 320, 600, 600, 600, 600].map((s) => s * 1_000))
  })

  test('has at least the cooldown that the provider requests, ten minutes at most', () => {
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
