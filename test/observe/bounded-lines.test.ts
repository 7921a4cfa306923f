// The bound of log lines about refused requests: a flood fills no log, hides nobody else's, and is told in one line a minute.
import { expect, test } from 'bun:test'
import { boundLines } from '../../src/observe/bounded-lines.ts'
import { memoryLog } from '../support/memory-log.ts'

const MINUTE_MS = 60_000

function scene() {
  const clock = { now_ms: 0 }
  const { log, lines } = memoryLog({ now: () => clock.now_ms })
  const scheduled: (() => void)[] = []
  const refusals = boundLines(log, { now: () => clock.now_ms, later: (run) => scheduled.push(run) })
  const flood = (caller: string, requests: number) => {
    for (let sent = 0; sent < requests; sent++) refusals.write(caller, { caller }, 'request refused')
  }
  const of = (caller: string) => lines().filter((line) => line.caller === caller).length
  return { clock, lines, scheduled, flood, of }
}

test('a flood of one caller writes 100 lines, then 10 a minute, and hides nobody else', () => {
  const { clock, flood, of } = scene()
  flood('account 1', 50_000)
  expect(of('account 1')).toBe(100)
  flood('account 2', 3)
  expect(of('account 2')).toBe(3)
  clock.now_ms = MINUTE_MS
  flood('account 1', 50_000)
  expect(of('account 1')).toBe(110)
})

test('ten thousand callers write 1,000 lines together, then 100 a minute', () => {
  const { clock, flood, lines } = scene()
  for (let caller = 0; caller < 20_000; caller++) flood(`address ${caller}`, 2)
  expect(lines()).toHaveLength(1_000)
  clock.now_ms = MINUTE_MS
  for (let caller = 0; caller < 20_000; caller++) flood(`address ${caller}`, 2)
  expect(lines()).toHaveLength(1_100)
})

test('one line a minute says how many were left out, and of whom the most', () => {
  const { flood, lines, scheduled } = scene()
  flood('account 1', 105)
  flood('account 2', 350)
  expect(scheduled).toHaveLength(1)
  scheduled.shift()?.()
  expect(lines().at(-1)).toMatchObject({
    level: 'info',
    message: 'lines about requests were left out',
    left_out: 255,
    callers: 2,
    most_of: 'account 2',
    most: 250,
  })
  flood('account 2', 7)
  expect(scheduled).toHaveLength(1)
  scheduled.shift()?.()
  expect(lines().at(-1)).toMatchObject({ left_out: 7, callers: 1 })
  expect(scheduled).toEqual([])
})

test('a line keeps its level', () => {
  const { log, lines } = memoryLog()
  boundLines(log).write('account 1', {}, 'request failed', 'warn')
  expect(lines()).toMatchObject([{ level: 'warn', message: 'request failed' }])
})

test('who is refused now and then is logged each time', () => {
  const { clock, flood, of } = scene()
  for (let minute = 0; minute < 500; minute++) {
    clock.now_ms = minute * MINUTE_MS
    flood('account 1', 10)
  }
  expect(of('account 1')).toBe(5_000)
})
