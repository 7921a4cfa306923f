// The limit on log lines about refused requests: a flood hides no other caller, and one line a minute counts the omitted ones.
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
  const linesOf = (caller: string) => lines().filter((line) => line.caller === caller).length
  return { clock, lines, scheduled, flood, linesOf }
}

test('a flood from one caller writes 100 lines, then 10 a minute, and hides no other caller', () => {
  const { clock, flood, linesOf } = scene()
  flood('account 1', 50_000)
  expect(linesOf('account 1')).toBe(100)
  flood('account 2', 3)
  expect(linesOf('account 2')).toBe(3)
  clock.now_ms = MINUTE_MS
  flood('account 1', 50_000)
  expect(linesOf('account 1')).toBe(110)
})

test('twenty thousand callers together write 1,000 lines, then 100 a minute', () => {
  const { clock, flood, lines } = scene()
  for (let caller = 0; caller < 20_000; caller++) flood(`address ${caller}`, 2)
  expect(lines()).toHaveLength(1_000)
  clock.now_ms = MINUTE_MS
  for (let caller = 0; caller < 20_000; caller++) flood(`address ${caller}`, 2)
  expect(lines()).toHaveLength(1_100)
})

test('one line a minute counts the omitted lines and names the caller with the most', () => {
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

test('ten refusals a minute are all logged', () => {
  const { clock, flood, linesOf } = scene()
  for (let minute = 0; minute < 500; minute++) {
    clock.now_ms = minute * MINUTE_MS
    flood('account 1', 10)
  }
  expect(linesOf('account 1')).toBe(5_000)
})
