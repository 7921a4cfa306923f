// One call by its request id: found by the time within the id, together with the other calls of its answer.
import { describe, expect, test } from 'bun:test'
import { callsBeginningWith, callsOfAnswer, findCall } from '../../../plugins/calls/one-call.ts'
import { requestIdAt } from '../../../src/domain/request-id.ts'
import { isRecorded } from '../../../src/money/ledger/started-calls.ts'
import { recorded } from '../../money/ledger/recorded.ts'

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

const at_times = await recorded(
  TIMES_MS.map((started_at_ms, at) => [at % 2 ? 3 : 1, 10, { started_at_ms, duration_ms: 5 }, idAt(at)]),
)

describe('a call', () => {
  const db = at_times

  test.each(IDS.map((id, at) => [TIMES_MS[at], id]))('of a request at %d is found', async (_, id) => {
    expect(await findCall(db, `${id}`)).toMatchObject({ request_id: id })
    expect(await callsBeginningWith(db, `${id}`.slice(0, 12), {}, 9)).toMatchObject([{ request_id: id }])
  })

  test('that started in the quarter of an hour after its request is found', async () => {
    const id = requestIdAt(START_MS + QUARTER_MS - 1)
    const late = await recorded([[1, 10, { started_at_ms: START_MS + QUARTER_MS, duration_ms: 5 }, id]])
    expect(await findCall(late, id)).toMatchObject({ request_id: id })
  })

  test('of another account is not found', async () => {
    expect(await findCall(db, idAt(0), 2)).toBeUndefined()
    expect(await callsBeginningWith(db, idAt(0), { account_id: 2 }, 9)).toEqual([])
    expect(await findCall(db, idAt(0), 1)).toMatchObject({ account_id: 1 })
  })

  test.each([
    ['an id that begins like one', idAt(0).slice(0, -1)],
    ['an id that goes on', `${idAt(0)}-1`],
    ['an id of the same time', requestIdAt(START_MS)],
    ['an id of a time without calls', requestIdAt(START_MS + 9 * DAY_MS)],
    ['a text that is not an id', 'r1'],
    ['an empty text', ''],
  ])('is not found by %s', async (_, id) => {
    expect(await findCall(db, id)).toBeUndefined()
  })
})

describe('the calls of an answer', () => {
  const id = idAt(0)

  test('are listed in order, without those of other accounts', async () => {
    // Each begins when the previous one has ended. Other calls come in between, some with similar ids.
    const db = await recorded([
      [1, 10, { started_at_ms: START_MS, duration_ms: 2 * QUARTER_MS }, id],
      [3, 10, { started_at_ms: START_MS + 1, duration_ms: 5 }, `${id}-other`],
      [1, 10, { started_at_ms: START_MS + 2, duration_ms: 5 }, requestIdAt(START_MS + 2)],
      [1, 20, { started_at_ms: START_MS + 2 * QUARTER_MS, duration_ms: DAY_MS }, `${id}-picture-1`],
      [2, 10, { started_at_ms: START_MS + 3 * QUARTER_MS, duration_ms: 5 }, `${id}.9`],
      [1, 30, { started_at_ms: START_MS + 2 * QUARTER_MS + DAY_MS + 9, duration_ms: 5 }, `${id}-picture-2`],
    ])
    const first = await findCall(db, id)
    expect(first && (await callsOfAnswer(db, first))).toEqual([
      { id: 4, request_id: `${id}-picture-1`, model: 'sim-text', outcome: 'completed', cost_nanos: 20 },
      { id: 6, request_id: `${id}-picture-2`, model: 'sim-text', outcome: 'completed', cost_nanos: 30 },
    ])
    // They began long after their request, whose time their ids contain.
    expect(await findCall(db, `${id}-picture-1`)).toMatchObject({ id: 4, cost_nanos: 20 })
    expect(await findCall(db, `${id}-picture-2`, 1)).toMatchObject({ id: 6, cost_nanos: 30 })
    expect(await findCall(db, `${id}-picture-2`, 2)).toBeUndefined()
    expect(await findCall(db, `${id}-picture-3`)).toBeUndefined()
    expect(await isRecorded(db, `${id}-picture-2`, START_MS + 2 * QUARTER_MS + DAY_MS + 9)).toBe(true)
    expect(await isRecorded(db, `${id}-picture-3`, START_MS + 2 * QUARTER_MS + DAY_MS + 9)).toBe(false)
  })

  test('are an empty list if the answer took only one call', async () => {
    const lone = await recorded([[1, 10, { started_at_ms: START_MS, duration_ms: 5 }, id]])
    const found = await findCall(lone, id)
    expect(found && (await callsOfAnswer(lone, found))).toEqual([])
  })
})
