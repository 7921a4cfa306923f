// Readings of the ledger: both engines give the same values for the same rows.
import { describe, expect, test } from 'bun:test'
import { accountsPage } from '../../../plugins/accounts/accounts-page.ts'
import { accountSpend, keySpend, lowBalances } from '../../../plugins/alerts/account-conditions.ts'
import { listCalls, listCallsInTurns } from '../../../plugins/calls/listing.ts'
import {
  callsBeginningWith,
  callsOfAnswer,
  callUnderWay,
  chargeOf,
  findCall,
} from '../../../plugins/calls/one-call.ts'
import { callTotals } from '../../../plugins/calls/totals.ts'
import { listEntries } from '../../../plugins/entries/listing.ts'
import { statementOf } from '../../../plugins/entries/statement.ts'
import { entrySums } from '../../../plugins/entries/sums.ts'
import { lastFailures } from '../../../plugins/health/last-failures.ts'
import { usageOfKeys } from '../../../plugins/keys/key-usage.ts'
import { rerateCalls } from '../../../plugins/prices/rerating/recorded-calls.ts'
import { overviewOf } from '../../../plugins/usage/report/overview.ts'
import { type ReportRange, reportTime } from '../../../src/domain/ranges.ts'
import { requestIdAt } from '../../../src/domain/request-id.ts'
import { UTC } from '../../../src/domain/zones.ts'
import { audit } from '../../../src/money/ledger/audit.ts'
import { keyDifferences } from '../../../src/money/ledger/local-weeks.ts'
import { lastCallOf, spendingOf } from '../../../src/money/ledger/spending.ts'
import { startedBetween } from '../../../src/money/ledger/started-calls.ts'
import { dailySums } from '../../../src/money/ledger/sums.ts'
import type { Db } from '../../../src/store/db.ts'
import { recorded } from '../../money/ledger/recorded.ts'
import { copyTables } from '../../support/copied-tables.ts'
import { memoryDatabase } from '../../support/empty-database.ts'
import { databaseOfFile, hasPostgres } from '../../support/postgres.ts'

const DAY_MS = 86_400_000
const NOW_MS = 20_000 * DAY_MS
const ASK = requestIdAt(NOW_MS - 0.02 * DAY_MS)
const TABLES = ['accounts', 'keys', 'prices', 'holds', 'calls', 'call_sums', 'entries']

const call = (days_ago: number, model: string, more: object = {}) => ({
  started_at_ms: NOW_MS - days_ago * DAY_MS,
  model,
  ...more,
})

const TRACE = JSON.stringify({
  failure: { kind: 'upstream_failed' },
  tried: [{ provider: 'p', model: 'sim-1', failure_class: 'bad_key', at_ms: 0, took_ms: 1 }],
})

const { db: there } = await databaseOfFile()
const here = await recorded(
  [
    [1, 100, call(40, 'old')],
    [1, 200, call(8, 'sim-1', { provider: 'p' })],
    [1, 80, call(6.1, 'sim-1', { provider: 'p' })],
    [
      2,
      300,
      call(3, 'sim-1', { outcome: 'failed', status: 502, provider: '', trace: TRACE, failed_tries: 1 }),
    ],
    [1, 400, call(0.02, 'sim-2'), ASK],
    [1, 50, call(0.0199, 'sim-2'), `${ASK}-search`],
    [3, 500, call(0.01, 'sim-1')],
    [3, 0, call(0.005, 'sim-1', { outcome: 'cancelled' })],
  ],
  memoryDatabase(),
)
if (hasPostgres) await copyTables(here, there, TABLES)

describe.if(hasPostgres)('both engines give the same for the same rows', () => {
  const time = { from_ms: NOW_MS - 10 * DAY_MS, until_ms: NOW_MS }
  const at = (range: ReportRange) => ({ time: reportTime(range, NOW_MS), zone: UTC, now_ms: NOW_MS })
  const READINGS: [string, (db: Db) => unknown][] = [
    ['all calls', (db) => listCalls(db, {}, { limit: 3 })],
    ['calls after a cursor', (db) => listCalls(db, {}, { limit: 9, cursor: 5 })],
    ['calls of an account', (db) => listCalls(db, { account_id: 2, outcomes: ['cancelled'] }, { limit: 3 })],
    [
      'calls by a filter',
      (db) => listCalls(db, { model: 'sim-1', status: { from: 500, to: 599 } }, { limit: 3 }),
    ],
    [
      'calls in turns',
      (db) => listCallsInTurns(db, { model: 'sim-1', since_ms: time.from_ms }, { limit: 3 }),
    ],
    ['calls of an unknown key', (db) => listCalls(db, { key_prefix: 'tg_none' }, { limit: 3 })],
    ['calls of a provider, failed ones too', (db) => listCalls(db, { provider: 'p' }, { limit: 9 })],
    ['totals of a provider', (db) => callTotals(db, { provider: 'p' })],
    ['totals of an unknown provider', (db) => callTotals(db, { provider: 'q' })],
    ['sums by day of Tokyo', (db) => dailySums(db, {}, { zone: 'Asia/Tokyo' })],
    ['a call', (db) => findCall(db, ASK)],
    ['a call of another account', (db) => findCall(db, ASK, 2)],
    ['a call under way', (db) => callUnderWay(db, ASK)],
    [
      'the parts of an answer, and what paid for it',
      async (db) => {
        const found = await findCall(db, ASK)
        return found && [await callsOfAnswer(db, found), await chargeOf(db, found)]
      },
    ],
    ['calls by the begin of their id', (db) => callsBeginningWith(db, ASK.slice(0, 20), {}, 5)],
    ['the calls of a time', (db) => startedBetween(db, time.from_ms, time.until_ms)],
    ['totals', (db) => callTotals(db, { account_id: 1 })],
    ['totals of part of a day', (db) => callTotals(db, { since_ms: NOW_MS - DAY_MS / 50 })],
    ['sums by day', (db) => dailySums(db, {}, { zone: UTC, limit: 2 })],
    ['the overview of today', (db) => overviewOf(db, { filter: {}, ...at('today') })],
    ['the overview of a week', (db) => overviewOf(db, { filter: { account_id: 1 }, ...at('7') })],
    ['the overview of a model', (db) => overviewOf(db, { filter: { model: 'sim-1' }, ...at('30') })],
    ['entries of all accounts', (db) => listEntries(db, {}, { limit: 3 })],
    ['entries after a cursor', (db) => listEntries(db, { kind: 'charge' }, { limit: 3, cursor: 5 })],
    ['entries of an account', (db) => listEntries(db, { account_id: 1, kind: 'top_up' }, { limit: 3 })],
    ['sums of entries', (db) => entrySums(db, {})],
    ['a statement', (db) => statementOf(db, 1, time)],
    ['last failures', (db) => lastFailures(db, { from_ms: 0, first_id: 0 })],
    [
      'the usage of keys',
      (db) =>
        usageOfKeys(
          db,
          [
            { id: 1, account_id: 1 },
            { id: 3, account_id: 2 },
          ],
          NOW_MS,
        ),
    ],
    [
      'the usage of keys in the week of another zone',
      (db) => usageOfKeys(db, [{ id: 1, account_id: 1 }], NOW_MS, 'Asia/Kathmandu'),
    ],
    [
      'the differences of a zone',
      (db) => keyDifferences(db, [1, 2], { now_ms: NOW_MS, zone: 'Asia/Kathmandu' }),
    ],
    ['spending', (db) => spendingOf(db, [1, 2], NOW_MS)],
    ['the last call', (db) => lastCallOf(db, 1)],
    ['low balances', (db) => lowBalances(db, NOW_MS)],
    ['the spending of accounts', (db) => accountSpend(db, 1, NOW_MS - 1)],
    ['the spending of keys', (db) => keySpend(db, 1, NOW_MS - 1)],
    ['accounts by their balance', (db) => accountsPage(db, { order: 'balance' }, { limit: 1 }, NOW_MS)],
    [
      'calls at other prices',
      (db) =>
        rerateCalls(db, {
          ...time,
          models: [{ id: 'sim-1', group: null, current: {} as never, next: undefined }],
          groups: new Set(),
        }),
    ],
  ]
  test.each(READINGS)('%s', async (_, read) => {
    const expected = await read(here)
    expect(await read(there)).toEqual(expected as never)
  })

  test.each([
    ['nothing', undefined],
    ['a balance', 'UPDATE accounts SET balance_nanos = balance_nanos + 1 WHERE id = 1'],
    ['the spending of a key', 'UPDATE keys SET spent_nanos = 7 WHERE id = 3'],
    ['a sum of calls', 'UPDATE call_sums SET cost_nanos = cost_nanos + 1'],
    ['a cost', 'UPDATE calls SET cost_nanos = cost_nanos + 1 WHERE id = 5'],
  ])('the findings of an audit after a change of %s', async (_, text) => {
    const audited = (db: Db) =>
      db
        .begin(async (tx) => {
          if (text) await tx.rows(text)
          const { findings, rules, totals } = await audit(tx)
          throw { found: { findings: findings.map((finding) => Bun.inspect(finding)).sort(), rules, totals } }
        })
        .catch(({ found }) => found)
    const expected = await audited(here)
    expect(await audited(there)).toEqual(expected)
    expect(expected.findings.length > 0).toBe(text !== undefined)
  })

  test('nearly all of these readings find something', async () => {
    const read = await Promise.all(READINGS.map(async ([, reading]) => Bun.inspect(await reading(here))))
    expect(read.filter((text) => /^(undefined|null|\[\]|Map \{\})$/.test(text)).length).toBeLessThanOrEqual(3)
  })
})
