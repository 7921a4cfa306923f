// The definition of an outage as a table: answers in a row, or half of a window; when it begins and ends; rejected keys; and merges.

import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  type Answer,
  addAnswer,
  addToKey,
  emptyKey,
  emptyRoute,
  impairmentOf,
  isRejected,
  type KeyState,
  mergeKeys,
  mergeRoutes,
  outageOf,
  type RouteState,
} from '../../plugins/health/outage.ts'
import { outageSentence } from '../../plugins/health/troubles.ts'

const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
const START_MS = 500_000 * HOUR_MS

const FAILURES: Readonly<Record<string, string>> = { x: '500', t: 'timed_out', b: 'broke_off' }

/** Answers at equal distances: `.` answered, the others failed. */
const answersOf = (text: string, every_ms: number): Answer[] =>
  [...text].map((letter, at) => ({ at_ms: START_MS + at * every_ms, failure: FAILURES[letter] ?? null }))

function stateOf(answers: readonly Answer[]): RouteState {
  const state = emptyRoute()
  for (const answer of answers) addAnswer(state, answer)
  return state
}

/** Every 12 minutes, and every second: a quiet route and a busy one. */
const [QUIET, BUSY] = [12 * MINUTE_MS, SECOND_MS]

describe('a route', () => {
  test.each<[string, string, number, boolean]>([
    ['that was never called', '', QUIET, false],
    ['quiet, with four failures in a row', 'xxxx', QUIET, false],
    ['quiet, with five', 'xxxxx', QUIET, true],
    ['quiet, with five of several causes', 'xtbtx', QUIET, true],
    ['quiet, whose fifth answered', 'xxxx.', QUIET, false],
    ['quiet, that answers after an outage', 'xxxxxxx.', QUIET, false],
    ['quiet, with a failure after that', 'xxxxxxx.x', QUIET, false],
    ['quiet, of which each second call fails', 'x.x.x.x.x.x.x.x.', QUIET, false],
    ['busy, with a failure now and then', '.........x.........x.........x', BUSY, false],
    ['busy, with four of nine', 'x.x.x.x..', BUSY, false],
    ['busy, with five of nine: too few for a share', 'x.x.x.x.x', BUSY, false],
    ['busy, with five of ten', 'x.x.x.x.x.', BUSY, true],
    ['busy, with four of ten', 'x.x.x.x...', BUSY, false],
    ['busy, that answers again, while half of the window failed', 'xxxxxxxxxxxx....', BUSY, true],
    ['busy, once more than half of it answered', 'xxxxxxxxxxxx.............', BUSY, false],
    ['busy, with five failures in a row after many answers', `${'.'.repeat(200)}xxxxx`, BUSY, true],
    ['busy, with four of them', `${'.'.repeat(200)}xxxx`, BUSY, false],
    ['busy, with five in a row and an answer', `${'.'.repeat(200)}xxxxx.`, BUSY, false],
  ])('%s: %s', (_, text, every_ms, fails) => {
    const answers = answersOf(text, every_ms)
    const outage = outageOf(stateOf(answers), answers.at(-1)?.at_ms ?? START_MS)
    expect(outage !== undefined).toBe(fails)
  })

  test.each<[string, string, number, string | undefined]>([
    ['never called', '', QUIET, undefined],
    ['quiet, all answered', '.....', QUIET, undefined],
    ['quiet, with one failure of the last five', 'xxx.x...', QUIET, '1 of 5 in a row'],
    ['quiet, with the failures before these', 'xxx.....', QUIET, undefined],
    ['quiet, called once', 'x', QUIET, '1 of 1 in a row'],
    ['busy, with one of eleven', 'x..........', BUSY, undefined],
    ['busy, with one of ten', 'x.........', BUSY, '1 of 10 in the window'],
    ['busy, with the last four of a hundred', `${'.'.repeat(96)}xxxx`, BUSY, undefined],
    ['busy, once more than half of it answered', 'xxxxxxxxxxxx.............', BUSY, '12 of 25 in the window'],
  ])('fails partly: %s', (_, text, every_ms, expected) => {
    const answers = answersOf(text, every_ms)
    const found = impairmentOf(stateOf(answers), answers.at(-1)?.at_ms ?? START_MS)
    const place = found?.of === 'row' ? 'in a row' : 'in the window'
    expect(found && `${found.failed} of ${found.answers} ${place}`).toBe(expected)
  })

  test('fails partly for a day at most', () => {
    const state = stateOf(answersOf('x...', HOUR_MS))
    expect(impairmentOf(state, START_MS + 23 * HOUR_MS)).toMatchObject({ failed: 1, answers: 4 })
    expect(impairmentOf(state, START_MS + 24 * HOUR_MS)).toBeUndefined()
  })

  test('keeps the whole window if calls at the edge of its parts end out of order', () => {
    const edge = Array.from({ length: 40 }, (_, at) => ({
      at_ms: START_MS - (at % 2),
      failure: at % 4 < 2 ? 'timed_out' : null,
    }))
    expect(outageOf(stateOf(edge), START_MS)).toMatchObject({ of: 'window', answers: 40, failed: 20 })
  })

  test('has the start of its outage, the counts and the causes', () => {
    const quiet = answersOf('.xtxxx', QUIET)
    expect(outageOf(stateOf(quiet), START_MS + 5 * QUIET)).toEqual({
      since_ms: START_MS + QUIET,
      of: 'row',
      answers: 5,
      failed: 5,
      causes: { '500': 4, timed_out: 1 },
    })
    const busy = answersOf(`..${'t'.repeat(9)}xxx`, 15 * SECOND_MS)
    expect(outageOf(stateOf(busy), START_MS + 13 * 15 * SECOND_MS)).toEqual({
      since_ms: START_MS + 30 * SECOND_MS,
      of: 'window',
      answers: 14,
      failed: 12,
      causes: { timed_out: 9, '500': 3 },
    })
  })

  test('with half of its calls failed no longer fails after five minutes without calls', () => {
    const state = stateOf(answersOf('xxxx.xxxx.', BUSY))
    expect(outageOf(state, START_MS + 4 * MINUTE_MS)).toBeDefined()
    expect(outageOf(state, START_MS + 6 * MINUTE_MS)).toBeUndefined()
  })

  test('with five failures in a row goes on failing for a day without calls', () => {
    const state = stateOf(answersOf('xxxxx', QUIET))
    expect(outageOf(state, START_MS + 12 * HOUR_MS)).toBeDefined()
    expect(outageOf(state, START_MS + 26 * HOUR_MS)).toBeUndefined()
  })

  test('needs the same few hundred bytes after a hundred thousand answers', () => {
    const state = stateOf(answersOf('x.t'.repeat(33_333), 100))
    expect(JSON.stringify(state).length).toBeLessThan(1_200)
  })
})

test('merged answers of several gateways are judged as those of one', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('.', 'x', 't'), maxLength: 60 }),
      fc.array(fc.nat({ max: 20 }), { maxLength: 6 }),
      fc.constantFrom(SECOND_MS, 20 * SECOND_MS, QUIET),
      (text, lengths, every_ms) => {
        const all = answersOf(text, every_ms)
        let merged = emptyRoute()
        let rest = all
        for (const length of [...lengths, all.length]) {
          const part = rest.slice(0, length)
          rest = rest.slice(length)
          const now_ms = part.at(-1)?.at_ms ?? START_MS
          merged = mergeRoutes(merged, stateOf(part), now_ms)
        }
        const now_ms = all.at(-1)?.at_ms ?? START_MS
        const { since_ms: _, ...one } = outageOf(stateOf(all), now_ms) ?? { since_ms: 0 }
        const { since_ms: __, ...other } = outageOf(merged, now_ms) ?? { since_ms: 0 }
        expect(other).toEqual(one)
      },
    ),
  )
})

test('an outage keeps its start over any number of merges, and a later one has its own', () => {
  const minutesOf = (text: string, from_ms: number) =>
    answersOf(text, 5 * SECOND_MS).map((answer) => ({ ...answer, at_ms: answer.at_ms + from_ms }))
  let state = emptyRoute()
  const add = (text: string, from_ms: number) => {
    const answers = minutesOf(text, from_ms)
    state = mergeRoutes(state, stateOf(answers), answers.at(-1)?.at_ms ?? 0)
  }
  for (let minute = 0; minute < 60; minute++) add('xxx.xxxxx.xx', minute * MINUTE_MS)
  expect(state.since_ms).toBe(START_MS)
  for (let minute = 60; minute < 70; minute++) add('............', minute * MINUTE_MS)
  expect(state.since_ms).toBeNull()
  add('xxxxx', 70 * MINUTE_MS)
  expect(state.since_ms).toBe(START_MS + 70 * MINUTE_MS)
})

describe('a key', () => {
  const keyOf = (text: string): KeyState => {
    const state = emptyKey()
    for (const [at, letter] of [...text].entries())
      addToKey(state, { at_ms: START_MS + at * MINUTE_MS, is_rejected: letter === 'r' })
    return state
  }
  test.each<[string, string, boolean, number, number]>([
    ['that answered', '.', false, 0, 0],
    ['with one rejection', 'r', true, 0, 1],
    ['with six, after answers', '..rrrrrr', true, 2, 6],
    ['that answers again', '..rrr.', false, 0, 0],
    ['rejected anew: it is counted from there', 'rrr.rr', true, 4, 2],
  ])('%s: %s', (_, text, is_rejected, since_minute, rejected) => {
    const state = keyOf(text)
    expect(isRejected(state, START_MS + text.length * MINUTE_MS)).toBe(is_rejected)
    if (is_rejected) expect(state).toMatchObject({ since_ms: START_MS + since_minute * MINUTE_MS, rejected })
  })

  test('is no longer reported as rejected after a day without a call', () => {
    expect(isRejected(keyOf('r'), START_MS + 25 * HOUR_MS)).toBe(false)
  })

  test('of two gateways is not rejected by a rejection before its last answer, though it was written later', () => {
    const answered: KeyState = { ...emptyKey(), answered_ms: START_MS + MINUTE_MS }
    const merged = mergeKeys(answered, keyOf('r'))
    expect(isRejected(merged, START_MS + 2 * MINUTE_MS)).toBe(false)
    expect(mergeKeys(keyOf('rr'), keyOf('rrr'))).toMatchObject({ since_ms: START_MS, rejected: 5 })
  })
})

test.each<[causes: Record<string, number>, words: string]>([
  [{ failed: 1 }, 'The last call failed: no route tried (1).'],
  [{ timed_out: 2, failed: 1 }, 'The last 3 calls failed: timeout (2), no route tried (1).'],
  [{ upstream_error: 1, '503': 2 }, 'The last 3 calls failed: status 503 (2), connection failed (1).'],
  [{ broke_off: 3, '200': 2 }, 'The last 5 calls failed: interrupted (3), error in the answer (2).'],
])('the sentence of an outage names its causes: %p', (causes, words) => {
  const failed = Object.values(causes).reduce((sum, count) => sum + count, 0)
  expect(outageSentence({ of: 'row', answers: failed, failed, causes })).toBe(words)
})
