// Tests of the grammar of model names.
import { describe, expect, test } from 'bun:test'
import { type Behaviour, parseBehaviour } from './behaviour.ts'

describe('valid names', () => {
  test.each<[string, Partial<Behaviour>]>([
    ['flash', { base: 'flash', thinks: true, draws: false, slow: 5, pace: 2, fail: undefined, hang: false }],
    ['pro', { base: 'pro', thinks: true }],
    ['flash-lite', { base: 'flash-lite', thinks: false }],
    ['gemini-2.5-flash-image', { base: 'gemini-2.5-flash-image', thinks: false, draws: true }],
    ['flash-fail-429', { base: 'flash', fail: 429 }],
    ['gemini-2.5-pro-break-3', { base: 'gemini-2.5-pro', break: 3 }],
    ['flash-slow-1500-events-200-pace-0', { slow: 1500, events: 200, pace: 0 }],
    ['flash-nousage-truncate', { nousage: true, truncate: true }],
    ['flash-break-0', { break: 0 }],
    ['flash-pace-20-pace-30', { pace: 30 }],
  ])('%s', (name, expected) => expect(parseBehaviour(name)).toMatchObject(expected))

  test.each(['refuse', 'hang', 'truncate', 'nousage', 'zerousage', 'cache', 'block', 'safety'] as const)(
    'flash-%s is a flag',
    (flag) => expect(parseBehaviour(`flash-${flag}`)?.[flag]).toBe(true),
  )

  test.each([
    'fail',
    'html',
    'leak',
    'slow',
    'pace',
    'events',
    'tokens',
    'calls',
    'break',
    'error',
    'stall',
  ] as const)('flash-%s-7 is a number', (word) => expect(parseBehaviour(`flash-${word}-7`)?.[word]).toBe(7))
})

describe('names of unknown models', () => {
  test.each([
    ['empty', ''],
    ['no base', 'fail-429'],
    ['a missing number', 'flash-fail'],
    ['a word for a number', 'flash-fail-soon'],
    ['a negative number', 'flash-slow--5'],
    ['a number too long', 'flash-slow-12345678'],
    ['an unknown word after a behaviour', 'flash-fail-429-quietly'],
    ['a number after a flag', 'flash-hang-5'],
    ['a property of all objects', 'flash-hang-constructor'],
  ])('%s', (_name, name) => expect(parseBehaviour(name)).toBeUndefined())
})
