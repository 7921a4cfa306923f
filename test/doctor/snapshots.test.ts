// The doctor's finding on snapshots of a PostgreSQL server: by age, by holder, and with sessions hidden from the gateway's user.
import { expect, test } from 'bun:test'
import { diagnosisOf } from '../../plugins/doctor/checks/snapshots.ts'
import type { OldestSnapshot } from '../../src/store/engines/postgres/snapshots.ts'

const HOUR_MS = 3_600_000
const DUMP: OldestSnapshot = {
  kind: 'session',
  age_ms: 0,
  transactions: 1,
  name: '4711',
  user: 'dba',
  application: 'pg_dump',
}
const dump = (age_ms: number) => ({ ...DUMP, age_ms })
const PREPARED: OldestSnapshot = {
  ...DUMP,
  kind: 'prepared',
  age_ms: 3 * HOUR_MS,
  name: "bob's",
  application: '',
}
const SLOT: OldestSnapshot = {
  kind: 'slot',
  age_ms: 3 * HOUR_MS,
  transactions: 5_000,
  name: 'berlin',
  user: '',
  application: '',
}
const FOLLOWED: OldestSnapshot = { ...SLOT, age_ms: null, transactions: 100_001 }
const STANDBY: OldestSnapshot = { ...FOLLOWED, kind: 'standby', name: '815', application: 'walreceiver' }
const NONE = { oldest: undefined, undated: undefined, hidden: 0 }
const END = 'SELECT pg_terminate_backend(4711)'

test.each<
  [what: string, examined: Partial<Parameters<typeof diagnosisOf>[0]>, says: string, advises: string]
>([
  ['none', {}, 'ok: none is open', ''],
  ['a young one', { oldest: dump(12_300) }, 'ok: the oldest is 12 s old', ''],
  ['one of some minutes', { oldest: dump(20 * 60_000) }, 'ok: the oldest is 20 min old', ''],
  ['one of an hour', { oldest: dump(HOUR_MS) }, 'ok: the oldest is 60 min old', ''],
  [
    'one of more than an hour',
    { oldest: dump(HOUR_MS + 1) },
    'warn: the oldest is 60 min old, of dba (pg_dump), process 4711',
    END,
  ],
  [
    'one of a day, of a program without a name',
    { oldest: { ...dump(26 * HOUR_MS), application: '' } },
    'warn: the oldest is 26 h old, of dba, process 4711',
    END,
  ],
  [
    'a prepared transaction',
    { oldest: PREPARED },
    `warn: the oldest is 3 h old, of the prepared transaction "bob's" of dba`,
    "ROLLBACK PREPARED 'bob''s', in this database.",
  ],
  ['a young prepared one', { oldest: { ...PREPARED, age_ms: 1_000 } }, 'ok: the oldest is 1 s old', ''],
  [
    'a slot whose standby is away',
    { oldest: SLOT },
    'warn: the oldest is 3 h old, of the replication slot "berlin"',
    "SELECT pg_drop_replication_slot('berlin')",
  ],
  [
    'a slot whose age the server does not say',
    { undated: FOLLOWED },
    'warn: the oldest is 100001 transactions old, of the replication slot "berlin"',
    'set hot_standby_feedback = off',
  ],
  [
    'a slot that follows',
    { undated: { ...FOLLOWED, transactions: 1 } },
    'ok: the oldest is 1 transaction old',
    '',
  ],
  [
    'a standby without a slot',
    { undated: STANDBY },
    'warn: the oldest is 100001 transactions old, of a standby (walreceiver), process 815',
    'End the long query on the standby',
  ],
  [
    'a slot beside a young session',
    { oldest: dump(1_000), undated: FOLLOWED },
    'warn: the oldest is 100001 transactions old, of the replication slot "berlin"',
    'pg_drop_replication_slot',
  ],
  [
    'an old session beside a slot that follows',
    { oldest: dump(HOUR_MS + 1), undated: { ...FOLLOWED, transactions: 7 } },
    'warn: the oldest is 60 min old, of dba (pg_dump), process 4711',
    END,
  ],
  [
    'hidden sessions',
    { oldest: dump(5_000), hidden: 2 },
    'ok: the oldest is 5 s old; 2 sessions of other users could not be inspected (GRANT pg_read_all_stats)',
    '',
  ],
])('%s', (_, examined, says, advises) => {
  const { check, level, found, advice } = diagnosisOf({ ...NONE, ...examined })
  expect([check, `${level}: ${found}`]).toEqual(['snapshots', says])
  expect(advice ?? '').toEqual(advises === '' ? '' : expect.stringContaining(advises))
})
