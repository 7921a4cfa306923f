// Live activity that a listener fails to take.
import { expect, test } from 'bun:test'
import type { Held } from '../../src/exchange/life/call.ts'
import { type ActivityEvent, createActivity } from '../../src/exchange/settling/activity.ts'
import type { VoidOperation } from '../../src/ledger/operations.ts'
import { memoryLog } from '../support/memory-log.ts'

const call = {
  origin: { request_id: 'req_1' },
  order: { model: { id: 'a-model' }, streams: false },
  caller: { account: { id: 7 }, key: { prefix: 'tg_abcdefg' } },
  held_nanos: 5,
} as Held

test('a listener that throws is logged, and keeps neither the call nor the other listeners from going on', () => {
  const { log, lines } = memoryLog()
  const activity = createActivity(log)
  const told: ActivityEvent['type'][] = []
  activity.listen(7, () => {
    throw new TypeError('a bug in a listener')
  })
  activity.listen(7, ({ type }) => told.push(type))
  activity.held(call)
  activity.firstByte(call, 3)
  expect(told).toEqual(['held', 'first_byte'])
  const line = { level: 'error', request_id: 'req_1', message: 'a listener to live activity failed' }
  expect(lines()).toMatchObject([line, line])
})

test('the records of all calls are told to whoever listens, until they stop; one that throws is logged', () => {
  const { log, lines } = memoryLog()
  const activity = createActivity(log)
  const told: [string, string][] = []
  const operation = { op: 'void', hold_id: 1, now_ms: 1, call: { outcome: 'failed' } } as VoidOperation
  activity.listenToSettled(() => {
    throw new TypeError('a bug in a listener')
  })
  const stop = activity.listenToSettled((held, { call: { outcome } }) =>
    told.push([held.origin.request_id, outcome]),
  )
  activity.settled(call, operation)
  stop()
  activity.settled(call, operation)
  expect(told).toEqual([['req_1', 'failed']])
  expect(lines().length).toBe(2)
})
