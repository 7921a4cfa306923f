// The events of the core: the order of their listeners, and listeners that throw or stop.
import { expect, test } from 'bun:test'
import type { Held } from '../../src/calls/life/call.ts'
import { createEvents, type SettledCall } from '../../src/calls/life/events.ts'
import type { CallRecord } from '../../src/money/ledger/operations.ts'
import { memoryLog } from '../support/memory-log.ts'

const settled = {
  call: { origin: { request_id: 'req_1' } } as Held,
  operation: { op: 'void', hold_id: 1, now_ms: 1, call: { outcome: 'failed' } as CallRecord },
} satisfies SettledCall

test('listeners are called in order, for the events that they listen to, until they stop', () => {
  const events = createEvents(memoryLog().log)
  const seen: string[] = []
  events.on('settled', ({ call }) => seen.push(`first ${call.origin.request_id}`))
  const stop = events.on('settled', ({ operation }) => seen.push(`second ${operation.call.outcome}`))
  events.on('stopping', () => seen.push('stopping'))
  events.raise('settled', settled)
  stop()
  stop()
  events.raise('settled', settled)
  expect(seen).toEqual(['first req_1', 'second failed', 'first req_1'])
})

test('a listener that throws is logged with the name of the event, and the others are still called', () => {
  const { log, lines } = memoryLog()
  const events = createEvents(log)
  const seen: string[] = []
  events.on('started', () => {
    throw new TypeError('a bug in a listener')
  })
  events.on('started', () => seen.push('started'))
  events.raise('started', undefined)
  expect(seen).toEqual(['started'])
  expect(lines()).toMatchObject([
    { level: 'error', event: 'started', message: 'a listener of an event failed' },
  ])
})

test('a listener that stops while an event is raised does not keep the event from the next one', () => {
  const events = createEvents(memoryLog().log)
  const seen: number[] = []
  const stop = events.on('started', () => {
    seen.push(1)
    stop()
  })
  events.on('started', () => seen.push(2))
  events.raise('started', undefined)
  events.raise('started', undefined)
  expect(seen).toEqual([1, 2, 2])
})
