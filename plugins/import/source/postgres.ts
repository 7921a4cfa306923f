// Another gateway's PostgreSQL database as one snapshot, read through cursors.
import { invalidRequest } from '../../../src/domain/errors.ts'
import { StorageFailure } from '../../../src/domain/storage-failure.ts'
import type { Connection } from '../../../src/store/engines/postgres/connection.ts'
import { connect, placeOf } from '../../../src/store/engines/postgres/open.ts'
import { messageOf } from '../../../src/utilities/thrown.ts'
import { missingTable, quoted, type SourceRow, type SourceTables, selectOf, type TableQuery } from './rows.ts'

/** Replace the settings of Tollgate's own sessions: the tables are another program's, and reading may take long. */
const SETTINGS = {
  application_name: 'tollgate import',
  statement_timeout: '0',
  idle_in_transaction_session_timeout: '0',
  enable_seqscan: 'on',
  plan_cache_mode: 'auto',
}

const ROWS_A_BATCH = 5_000
const MAX_ANSWER_MS = 3_600_000

/**
 * Connects and begins a read-only transaction. All reads see the database as of now.
 *
 * @param url postgres://USER:PASSWORD@HOST:PORT/DATABASE
 * @throws GatewayError invalid_request with advice, without the password
 */
export async function openPostgresTables(url: string): Promise<SourceTables> {
  const { place, connection } = await connectTo(url)
  try {
    await connection.ask('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
  } catch (thrown) {
    await connection.close()
    throw refusalOf(thrown)
  }
  return tablesOf(connection, `PostgreSQL at ${place.host}, database ${place.database},`)
}

/** Parameters in Prisma's addresses that PostgreSQL does not have: https://www.prisma.io/docs/orm/overview/databases/postgresql */
const PRISMA_PARAMETERS = [
  'schema',
  'connection_limit',
  'pool_timeout',
  'socket_timeout',
  'connect_timeout',
  'pgbouncer',
  'statement_cache_size',
  'sslaccept',
  'sslidentity',
  'sslpassword',
]

/** Removes Prisma's parameters from an address. Returns the settings for its schema, which others write as `search_path`. */
function withoutPrisma(address: string): { url: string; settings: Record<string, string> } {
  const url = URL.parse(address)
  const schemas = url?.searchParams.get('schema') || url?.searchParams.get('search_path') || 'public'
  for (const name of [...PRISMA_PARAMETERS, 'search_path']) url?.searchParams.delete(name)
  const search_path = schemas.split(',').map((schema) => quoted(schema.trim()))
  return { url: url?.href ?? address, settings: { ...SETTINGS, search_path: search_path.join(', ') } }
}

async function connectTo(address: string) {
  try {
    const { url, settings } = withoutPrisma(address)
    const place = placeOf(url)
    return {
      place,
      connection: await connect(url, place, { settings, max_answer_ms: MAX_ANSWER_MS }),
    }
  } catch (thrown) {
    throw refusalOf(thrown)
  }
}

const refusalOf = (thrown: unknown): unknown =>
  thrown instanceof StorageFailure || thrown instanceof Error
    ? invalidRequest(messageOf(thrown), { cause: thrown })
    : thrown

const COLUMNS = `SELECT attname FROM pg_attribute
  WHERE attrelid = to_regclass(quote_ident($1)) AND attnum > 0 AND NOT attisdropped ORDER BY attnum`

function tablesOf(connection: Connection, address: string): SourceTables {
  let cursors = 0
  const columnsOf = async (table: string): Promise<string[] | undefined> => {
    const { rows } = await connection.ask(COLUMNS, [table])
    return rows.length === 0 ? undefined : rows.map(([name]) => String(name))
  }
  async function* rows(table: string, query?: TableQuery): AsyncGenerator<SourceRow> {
    const present = await columnsOf(table)
    if (!present) throw missingTable(address, table)
    cursors += 1
    const cursor = `import_${cursors}`
    await connection.ask(`DECLARE ${cursor} NO SCROLL CURSOR FOR ${selectOf(table, present, query)}`)
    try {
      for (;;) {
        const answer = await connection.ask(`FETCH ${ROWS_A_BATCH} FROM ${cursor}`)
        const names = answer.columns.map(({ name }) => name)
        for (const values of answer.rows) yield rowOf(names, values)
        if (answer.rows.length < ROWS_A_BATCH) return
      }
    } finally {
      if (!connection.isLost) await connection.ask(`CLOSE ${cursor}`)
    }
  }
  return {
    address,
    sorts: true,
    columnsOf,
    rows,
    [Symbol.asyncDispose]: () => connection.close(),
  }
}

function rowOf(names: readonly string[], values: readonly unknown[]): SourceRow {
  const row: Record<string, unknown> = {}
  for (let at = 0; at < names.length; at++) row[names[at] ?? ''] = values[at]
  return row
}
