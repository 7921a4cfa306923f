// Reads of stored sums on PostgreSQL: lists and reports of calls read only the sums of their days, by an index, however many other days are stored.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { callQueries } from '../../../plugins/calls/queries.ts'
import { reportQueries } from '../../../plugins/usage/report/queries.ts'
import { DAY_S } from '../../../src/domain/ranges.ts'
import { valuesOf } from '../../../src/money/ledger/queries.ts'
import { Connection } from '../../../src/store/engines/postgres/connection.ts'
import { type Explained, explaining, transactionOn } from '../../money/ledger/explained.ts'
import { databaseOfFile, hasPostgres } from '../../support/postgres.ts'

setDefaultTimeout(60_000)

const { url, db } = await databaseOfFile()

const DAYS = 200
const SUMS_PER_DAY = 100
/** Five days have 500. */
const MAX_ROWS = 600
const COUNTS =
  'calls, input_tokens, input_audio_tokens, cache_read_tokens, cache_write_5m_tokens, cache_write_1h_tokens, output_tokens, thinking_tokens, output_image_tokens, images'
const AMOUNTS =
  'cost_nanos, unpaid_nanos, provider_cost_nanos, known_revenue_nanos, uncosted_calls, first_call_id, last_call_id'
const ONES = `${COUNTS}, ${AMOUNTS}`.replaceAll(/\w+/g, '1')

describe.if(hasPostgres)('sums of some days', () => {
  let connection: Connection
  beforeAll(async () => {
    await db.write((within) =>
      within.rows(`INSERT INTO accounts (id, name, status, balance_nanos, held_nanos, debt_nanos, created_at_ms)
        VALUES (1, 'lena', 'active', 0, 0, 0, 0)`),
    )
    await db.write((within) =>
      within.rows(`INSERT INTO keys (id, account_id, name, prefix, sha256, spent_nanos, held_nanos, created_at_ms)
        VALUES (1, 1, 'key', 'tg_prefix0', sha256('key'::bytea), 0, 0, 0)`),
    )
    await db.write((within) =>
      within.rows(`INSERT INTO call_sums (account_id, span_s, start_s, key_id, model, outcome, provider, upstream_model, ${COUNTS}, ${AMOUNTS})
        SELECT 1, ${DAY_S}, ${DAY_S} * ((id - 1) / ${SUMS_PER_DAY}), 1, 'model-' || id, 'completed', 'p', 'm', ${ONES}
          FROM generate_series(1, ${DAYS * SUMS_PER_DAY}) AS id`),
    )
    connection = await Connection.open(url)
    await connection.ask('ANALYZE call_sums')
    await connection.ask('BEGIN')
  })
  afterAll(async () => {
    await connection.ask('ROLLBACK')
    await connection.close()
  })

  const FIVE = JSON.stringify([0, 1, 2, 3, 4].map((day) => day * DAY_S))
  type Within = ReturnType<typeof transactionOn>
  const READERS: [name: string, read: (within: Within) => Promise<unknown>][] = [
    [
      'the days with matching calls, for each list',
      async (within) => {
        const values = await valuesOf(within, { outcomes: ['completed'] })
        return await callQueries(within, undefined).rangesOfDays.all({
          ...values,
          starts: FIVE,
          below_id: Number.MAX_SAFE_INTEGER,
        })
      },
    ],
    [
      'the sums of a report',
      async (within) => {
        const values = await valuesOf(within, {})
        return await reportQueries(within, undefined).model.all({ ...values, span_s: DAY_S, starts: FIVE })
      },
    ],
  ]

  test.each(READERS)('%s', async (_, read) => {
    const seen: Explained[] = []
    await read(transactionOn(explaining(connection, (explained) => seen.push(explained))))
    const of_sums = seen.filter(({ text }) => text.includes('"call_sums"'))
    expect(of_sums.length).toBeGreaterThan(0)
    expect(of_sums.flatMap(({ scans }) => scans).filter(({ rows }) => rows > MAX_ROWS)).toEqual([])
  })
})
