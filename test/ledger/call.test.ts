// One call by its request's id: found by the time in it, whenever it came, and with the other calls of its answer.
import { describe, expect, test } from 'bun:test'
import { requestIdAt } from '../../src/domain/request-id.ts'
import { callsOfAnswer, findCall } from '../../src/ledger/call.ts'
import { callsBeginningWith } from '../../src/ledger/call-search.ts'
import { recorded } from './recorded.ts'

const QUARTER_MS = 900_000
const DAY_MS = 86_400_000
const START_MS = 20_000 * DAY_MS
/** In this order: the clock was set back by a day before the last one. */
const TIMES_MS = [
  START_MS,
  START_MS + 1,
  START_MS + QUARTER_MS - 1,
  START_MS + QUARTER_MS,
  START_MS + 3 * QUARTER_MS,
  START_MS + DAY_MS,
  START_MS - DAY_MS,
]
const IDS = TIMES_MS.map(requestIdAt)
const idAt = (at: number): string => IDS[at] ?? ''

describe('a call', () => {
  const db = recorded(
    TIMES_MS.map((started_at_ms, at) => [at % 2 ? 3 : 1, 10, { started_at_ms, duration_ms: 5 }, idAt(at)]),
  )

  test.each(IDS.map((id, at) => [TIMES_MS[at], id]))('of a request at %d is found', (_, id) => {
    expect(findCall(db, `${id}`)?.request_id).toBe(`${id}`)
    expect(callsBeginningWith(db, `${id}`.slice(0, 12), {}, 9).map((call) => call.request_id)).toEqual([
      `${id}`,
    ])
  })

  test('whose time was read in the next quarter of an hour is found', () => {
    const id = requestIdAt(START_MS + QUARTER_MS - 1)
    const late = recorded([[1, 10, { started_at_ms: START_MS + QUARTER_MS, duration_ms: 5 }, id]])
    expect(findCall(late, id)?.request_id).toBe(id)
  })

  test('of another account is not found', () => {
    expect(findCall(db, idAt(0), 2)).toBeUndefined()
    expect(callsBeginningWith(db, idAt(0), { account_id: 2 }, 9)).toEqual([])
    expect(findCall(db, idAt(0), 1)?.account_id).toBe(1)
  })

  test.each([
    ['an id that begins like one', idAt(0).slice(0, -1)],
    ['an id that goes on', `${idAt(0)}-1`],
    ['an id of the same time', requestIdAt(START_MS)],
    ['an id of a time without calls', requestIdAt(START_MS + 9 * DAY_MS)],
    ['what is no id', 'r1'],
    ['nothing', ''],
  ])('is not found by %s', (_, id) => {
    expect(findCall(db, id)).toBeUndefined()
  })
})

describe('the calls of an answer', () => {
  const id = idAt(0)
  /** Each begins when the one before has ended; others come in between, some of them nearly of its name. */
  const db = recorded([
    [1, 10, { started_at_ms: START_MS, duration_ms: 2 * QUARTER_MS }, id],
    [3, 10, { started_at_ms: START_MS + 1, duration_ms: 5 }, `${id}-other`],
    [1, 10, { started_at_ms: START_MS + 2, duration_ms: 5 }, requestIdAt(START_MS + 2)],
    [1, 20, { started_at_ms: START_MS + 2 * QUARTER_MS, duration_ms: DAY_MS }, `${id}-picture-1`],
    [2, 10, { started_at_ms: START_MS + 3 * QUARTER_MS, duration_ms: 5 }, `${id}.9`],
    [1, 30, { started_at_ms: START_MS + 2 * QUARTER_MS + DAY_MS + 9, duration_ms: 5 }, `${id}-picture-2`],
  ])
  const first = findCall(db, id)

  test('are told in their order, those of other accounts never', () => {
    expect(first && callsOfAnswer(db, first).map((part) => [part.request_id, part.cost_nanos])).toEqual([
      [`${id}-picture-1`, 20],
      [`${id}-picture-2`, 30],
    ])
  })

  test('are none where there was one', () => {
    const lone = recorded([[1, 10, { started_at_ms: START_MS, duration_ms: 5 }, id]])
    const found = findCall(lone, id)
    expect(found && callsOfAnswer(lone, found)).toEqual([])
  })
})
