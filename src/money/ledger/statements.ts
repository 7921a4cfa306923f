// The statements of the ledger's hot path, prepared once for a connection.
//
// They are bun:sqlite's own: a hold and its post take 19 µs with them and 30 µs with Drizzle's prepared queries, which
// build and map objects at each execution (in batches of 32: 9 µs and 13 µs; in memory, without the disk).
import type { Database } from 'bun:sqlite'
import { NEWEST_HOLD_SQL } from '../../store/newest-hold.ts'
import { type ActionRow, actions, type Call, calls, entries, holds } from '../../store/schema.ts'
import { ADDED_COLUMNS, type AddedCalls } from './added-calls.ts'
import type { AccountRow, HoldRow, KeyRow, NewEntry } from './book.ts'
import { columnsOf, columnsWithoutId } from './columns.ts'
import type { KeyedEntry } from './operations.ts'

export type Statements = ReturnType<typeof prepareStatements>

/**
 * Prepares the writer's statements.
 *
 * @throws SQLiteError when the database lacks the ledger's tables
 */
export function prepareStatements(db: Database) {
  return {
    // IMMEDIATE takes the write lock before the first read, so that no row changes between its read and its write.
    begin: db.prepare('BEGIN IMMEDIATE'),
    commit: db.prepare('COMMIT'),
    rollback: db.prepare('ROLLBACK'),
    truncateLog: db.prepare<{ busy: number }, []>('PRAGMA wal_checkpoint(TRUNCATE)'),

    // Another number than before where another connection has written since.
    dataVersion: db.prepare<{ data_version: number }, []>('PRAGMA data_version'),
    lastHoldId: db.prepare<{ id: number }, []>(`SELECT ${NEWEST_HOLD_SQL} AS id`),
    account: db.prepare<AccountRow, [number]>(
      'SELECT id, status, balance_nanos, held_nanos, debt_nanos FROM accounts WHERE id = ?',
    ),
    key: db.prepare<KeyRow, [number]>(
      `SELECT id, account_id, spend_limit_nanos, spent_nanos, held_nanos, expires_at_ms, revoked_at_ms,
              daily_limit_nanos, day_start_ms, day_first_hold_id, day_nanos,
              monthly_limit_nanos, month_start_ms, month_first_hold_id, month_nanos
         FROM keys WHERE id = ?`,
    ),
    hold: db.prepare<HoldRow, [number]>(
      `SELECT * FROM holds WHERE id = ?1 UNION ALL
       SELECT id, account_id, key_id, request_id, hold_nanos, 'settled', started_at_ms, started_at_ms, NULL FROM calls WHERE id = ?1`,
    ),
    keyedEntry: db.prepare<KeyedEntry, [number, string]>(
      'SELECT kind, amount_nanos, note, created_at_ms FROM entries WHERE account_id = ? AND request_key = ?',
    ),

    updateAccount: db.prepare<null, [number, number, number, number]>(
      'UPDATE accounts SET balance_nanos = ?, held_nanos = ?, debt_nanos = ? WHERE id = ?',
    ),
    updateKey: db.prepare<null, [number, number, number]>(
      'UPDATE keys SET spent_nanos = ?, held_nanos = ? WHERE id = ?',
    ),
    updateCountedKey: db.prepare<null, [number, number, ...KeyCounters, number]>(
      `UPDATE keys SET spent_nanos = ?, held_nanos = ?, day_start_ms = ?, day_first_hold_id = ?, day_nanos = ?,
              month_start_ms = ?, month_first_hold_id = ?, month_nanos = ? WHERE id = ?`,
    ),
    expireHold: db.prepare<null, [number]>(`UPDATE holds SET state = 'expired' WHERE id = ?`),
    deleteHold: db.prepare<null, [number]>('DELETE FROM holds WHERE id = ?'),

    insertHold: prepareInsert<HoldRow>(db, 'holds', columnsOf(holds)),
    insertEntry: prepareInsert<NewEntry>(db, 'entries', columnsWithoutId(entries)),
    insertAction: prepareInsert<Omit<ActionRow, 'id'>>(db, 'actions', columnsWithoutId(actions)),
    insertCall: prepareInsertCall(db),
    addToSums: prepareInsert<AddedCalls>(db, 'calls_to_sum', ADDED_COLUMNS),
  }
}

/** @throws SQLiteError as `prepareStatements` */
const prepareInsertCall = (db: Database): ((call: Call) => void) =>
  prepareInsert(db, 'calls', columnsOf(calls))

type Period = [start_ms: number | null, first_hold_id: number, nanos: number]
type KeyCounters = [...Period, ...Period]

type Fields = Record<string, string | number | null>

/** An insert of whole rows, bound by the names of their fields: listing the values of a call first takes a third longer. */
function prepareInsert<Row>(db: Database, into: string, columns: readonly string[]): (row: Row) => void {
  const statement = db.prepare<null, [Fields]>(
    `INSERT INTO ${into} (${columns.join()}) VALUES (${columns.map((name) => `$${name}`).join()})`,
  )
  return (row) => void statement.run(row as Fields)
}
