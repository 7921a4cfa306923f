// Failures of listeners to live activity.
import { expect, test } from 'bun:test'
import { type ActivityEvent, createActivity } from '../../plugins/live-feed/activity.ts'
import type { Held } from '../../src/calls/life/call.ts'
import { createEvents } from '../../src/calls/life/events.ts'
import { memoryLog } from '../support/memory-log.ts'

const call = {
  origin: { request_id: 'req_1' },
  order: { model: { id: 'a-model' }, streams: false },
  caller: { account: { id: 7 }, key: { prefix: 'tg_abcdefg' } },
  held_nanos: 5,
} as Held

test('a listener that throws is logged, and stops neither the call nor the other listeners', () => {
  const { log, lines } = memoryLog()
  const events = createEvents(log)
  const activity = createActivity(events, log)
  const seen: ActivityEvent['type'][] = []
  activity.listen(7, () => {
    throw new TypeError('a bug in a listener')
  })
  activity.listen(7, ({ type }) => seen.push(type))
  events.raise('held', call)
  events.raise('answering', { call, after_ms: 3 })
  expect(seen).toEqual(['held', 'first_byte'])
  const line = { level: 'error', request_id: 'req_1', message: 'a listener to live activity failed' }
  expect(lines()).toMatchObject([line, line])
})
