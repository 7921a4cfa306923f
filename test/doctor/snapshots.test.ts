// What the doctor says of snapshots on a PostgreSQL server: by their age, and what is hidden from the gateway's user.
import { expect, test } from 'bun:test'
import { diagnosisOf } from '../../plugins/doctor/checks/snapshots.ts'

const HOUR_MS = 3_600_000
const dump = (age_ms: number) => ({ age_ms, pid: 4711, user: 'dba', application: 'pg_dump' })

test.each<[what: string, examined: Parameters<typeof diagnosisOf>[0], says: string]>([
  ['none', { oldest: undefined, hidden: 0 }, 'ok: none is open'],
  ['a young one', { oldest: dump(12_300), hidden: 0 }, 'ok: the oldest is 12 s old'],
  ['one of some minutes', { oldest: dump(20 * 60_000), hidden: 0 }, 'ok: the oldest is 20 min old'],
  ['one of an hour', { oldest: dump(HOUR_MS), hidden: 0 }, 'ok: the oldest is 60 min old'],
  [
    'one of more than an hour',
    { oldest: dump(HOUR_MS + 1), hidden: 0 },
    'warn: the oldest is 60 min old, of dba (pg_dump), process 4711',
  ],
  [
    'one of a day, of a program without a name',
    { oldest: { ...dump(26 * HOUR_MS), application: '' }, hidden: 0 },
    'warn: the oldest is 26 h old, of dba, process 4711',
  ],
  [
    'what is hidden',
    { oldest: dump(5_000), hidden: 2 },
    'ok: the oldest is 5 s old; 2 sessions of other users cannot be seen into (GRANT pg_read_all_stats)',
  ],
])('%s', (_, examined, says) => {
  const { check, level, found, advice } = diagnosisOf(examined)
  expect([check, `${level}: ${found}`]).toEqual(['snapshots', says])
  expect(advice ?? '').toEqual(
    level === 'ok' ? '' : expect.stringContaining('SELECT pg_terminate_backend(4711)'),
  )
})
