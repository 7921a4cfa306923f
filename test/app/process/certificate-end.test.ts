// The expiry of a certificate: the log says how soon it is, again and again.
import { expect, test } from 'bun:test'
import { endOf, logCertificate, watchExpiry } from '../../../src/app/process/certificate-end.ts'
import { eventually } from '../../support/eventually.ts'
import { memoryLog } from '../../support/memory-log.ts'

const DAY_MS = 86_400_000
const pair = { names: 'DNS:gateway.example.com', valid_until_ms: Date.parse('2027-01-31T00:00:00Z') }
const daysBefore = (days: number) => pair.valid_until_ms - days * DAY_MS

test.each([
  [90, 'far', 'info', 'in use'],
  [14, 'far', 'info', 'in use'],
  [13.9, 'soon', 'warn', 'in use, and ends soon. Renew it'],
  [0.1, 'soon', 'warn', 'in use, and ends soon. Renew it'],
  [-0.1, 'past', 'warn', 'in use, and has expired'],
] as const)('%d days before its end: %s, logged as %s', (days, end, level, says) => {
  const now_ms = daysBefore(days)
  expect(endOf(pair, now_ms).end).toBe(end)
  const { log, lines } = memoryLog()
  logCertificate({ log, now: () => now_ms }, 'in use', pair)
  expect(lines()).toEqual([
    expect.objectContaining({ level, names: pair.names, valid_until: '2027-01-31T00:00:00.000Z' }),
  ])
  expect(String(lines()[0]?.message)).toStartWith(says)
})

test('the log repeats a near expiry until a renewed certificate is in use', async () => {
  const { log, lines } = memoryLog()
  let used = pair
  let now_ms = daysBefore(30)
  const stop = watchExpiry({ log, now: () => now_ms }, () => used, 1)
  // About twenty checks that log nothing: no event shows them, so the test waits a fixed time.
  await Bun.sleep(20)
  expect(lines()).toEqual([])
  now_ms = daysBefore(3)
  await eventually('it is logged twice', () => lines().length >= 2)
  used = { ...pair, valid_until_ms: pair.valid_until_ms + 90 * DAY_MS }
  await Bun.sleep(5)
  const logged = lines().length
  // As above: checks that log nothing.
  await Bun.sleep(20)
  expect(lines()).toHaveLength(logged)
  stop()
})
