// Opening a PostgreSQL database: checks the server's requirements and migrates the tables.
import { accessSync, constants } from 'node:fs'
import { faultOfTls, parseDatabaseAddress } from '../../../domain/database-address.ts'
import { StorageFailure } from '../../../domain/storage-failure.ts'
import { codeOf } from '../../../utilities/thrown.ts'
import { Connection, SCHEMA, SETTINGS } from './connection.ts'
import { PostgresDb, type PostgresDbOptions } from './db.ts'
import { StatementError } from './failure.ts'
import { migrate, NEWEST, refuseNewer, refuseOlder, versionOf } from './migrate.ts'

const MIN_VERSION = 14

/**
 * Opens the database; creates and migrates its tables.
 *
 * @param url postgres://USER:PASSWORD@HOST:PORT/DATABASE
 * @throws StorageFailure if the server is unreachable; Error with the remedy if the server does not meet the requirements or refuses the
 * user, or if a newer program wrote the tables. Neither contains the password.
 */
export async function openPostgres(url: string, options: PostgresDbOptions = {}): Promise<PostgresDb> {
  const place = placeOf(url)
  const connection = await connect(url, place)
  try {
    refuse(await faultsOfServer(connection, place, options.readonly ?? false))
    if (options.is_new) refuseFilled(await versionOf(connection), place)
    if (!options.readonly) await migrateTables(connection, place)
    const found = await versionOf(connection)
    refuseOlder(found)
    refuseNewer(found)
    refuse(await faultsOfCollation(connection))
  } finally {
    await connection.close()
  }
  return new PostgresDb(url, options)
}

/** Returns the version of the existing tables; 0 without any. @throws as `openPostgres` if the server does not meet the requirements */
export async function versionOnServer(url: string): Promise<number> {
  const place = placeOf(url)
  const connection = await connect(url, place)
  try {
    refuse(await faultsOfServer(connection, place, false))
    return (await versionOf(connection)).version
  } finally {
    await connection.close()
  }
}

export interface DatabaseLocation {
  host: string
  user: string
  database: string
  ca_file?: string | undefined
}

/** @throws Error if the text is not the URL of a database, or does not say whether the connection is encrypted */
export function placeOf(url: string): DatabaseLocation {
  const address = parseDatabaseAddress(url)
  if (!address)
    throw new Error('The address of the database must be postgres://USER:PASSWORD@HOST:PORT/DATABASE.')
  const fault = faultOfTls(address)
  if (fault !== undefined) throw new Error(`The address of the database ${fault}.`)
  return address
}

interface SessionOptions {
  readonly settings?: Readonly<Record<string, string>>
  /** The time for an answer; by default as long as the gateway's statements may take. */
  readonly max_answer_ms?: number
}

/** @throws as `openPostgres` */
export async function connect(
  url: string,
  place: DatabaseLocation,
  { settings, max_answer_ms }: SessionOptions = {},
): Promise<Connection> {
  refuseUnreadable(place)
  try {
    return await Connection.open(url, settings, undefined, max_answer_ms)
  } catch (thrown) {
    throw explainFailure(thrown, place)
  }
}

/** Checks that the CA file is readable, since the runtime's error would not name it. @throws Error that names it */
function refuseUnreadable({ ca_file }: DatabaseLocation): void {
  if (ca_file === undefined) return
  try {
    accessSync(ca_file, constants.R_OK)
  } catch (cause) {
    throw new Error(
      `The file ${ca_file} in the address of the database (sslrootcert) cannot be read (${codeOf(cause)}): correct its path, or let this user read it.`,
      { cause },
    )
  }
}

/** Explains a failure to the person who starts the program. */
function explainFailure(thrown: unknown, { host, user, database }: DatabaseLocation): unknown {
  if (!(thrown instanceof StorageFailure || thrown instanceof StatementError)) return thrown
  const { code, message } = thrown
  if (code === '08P01' || /startup parameter/.test(message)) return new Error(NO_PROXY)
  if (code.startsWith('28') || code.startsWith('ERR_POSTGRES_AUTHENTICATION'))
    return new Error(`PostgreSQL at ${host} refuses the user ${user}: check the name and the password.`)
  if (code === '3D000')
    return new Error(
      `PostgreSQL at ${host} has no database ${database}: create it by CREATE DATABASE ${database} OWNER ${user}.`,
    )
  if (!(thrown instanceof StorageFailure)) return thrown
  if (code === 'ERR_POSTGRES_TLS_NOT_AVAILABLE')
    return new Error(
      `PostgreSQL at ${host} does not encrypt connections: set ssl = on there, or sslmode=disable in the address in a network that you trust.`,
    )
  if (/CERT|SIGNATURE/.test(code))
    return new Error(`The certificate of PostgreSQL at ${host} cannot be trusted (${message}): ${TRUST}`)
  return new StorageFailure(thrown.trouble, {
    code,
    message: `PostgreSQL at ${host} cannot be reached (${message}): check that it runs, and the address.`,
    cause: thrown,
  })
}

const TRUST =
  'name the host as the certificate does, and add &sslrootcert=FILE to the address if your own CA signed it.'

const NO_PROXY =
  'A proxy in between does not keep session settings, as PgBouncer does in transaction mode: ' +
  'use the address of the PostgreSQL server itself, or of a pool that gives each client its own session.'

const FACTS = `SELECT current_setting('server_version_num')::bigint / 10000, current_setting('server_version'),
  current_setting('server_encoding'), current_setting('synchronous_commit'),
  current_setting('default_transaction_isolation'), pg_is_in_recovery(), current_setting('fsync'),
  current_database()::text, current_setting('default_transaction_read_only'),
  ARRAY_TO_STRING(ARRAY(SELECT current_setting(name) FROM unnest(string_to_array($1, ',')) AS settings (name)), ',')`

/** @throws Error with the first fault */
function refuse([fault]: readonly string[]): void {
  if (fault !== undefined) throw new Error(fault)
}

/** @returns a sentence for each fault of the server, with the remedy after a colon */
export async function faultsOfServer(
  connection: Connection,
  { host, database }: DatabaseLocation,
  is_readonly: boolean,
): Promise<string[]> {
  const names = Object.keys(SETTINGS).join(',')
  const [row = []] = (await connection.ask(FACTS, [names])).rows
  const [major, version, encoding, commit, isolation, is_replica, fsync, connected, read_only, settings] = row
  const wrong: readonly (readonly [is_wrong: boolean, sentence: string])[] = [
    [
      Number(major) < MIN_VERSION,
      `PostgreSQL at ${host} is version ${version}: version ${MIN_VERSION} or later is needed.`,
    ],
    [
      encoding !== 'UTF8',
      `The database at ${host} has the encoding ${encoding}: create it with ENCODING 'UTF8'.`,
    ],
    [
      commit === 'off' || fsync === 'off',
      `PostgreSQL at ${host} confirms what is not on the disk yet, and loses it in a power cut: ` +
        "set synchronous_commit = 'on' and fsync = 'on'.",
    ],
    [
      isolation !== 'read committed',
      `PostgreSQL at ${host} has the default transaction isolation ${isolation}: ` +
        "set default_transaction_isolation = 'read committed' for this user or database.",
    ],
    [
      is_replica === 1 && !is_readonly,
      `PostgreSQL at ${host} is a read-only replica: use the address of the primary server.`,
    ],
    [
      connected !== database,
      `The connection to ${host} leads to the database ${connected}, and the address names ${database}: check the proxy or pooler between.`,
    ],
    [
      read_only === 'on' && !is_readonly,
      `The database ${database} at ${host} is set to be read only (default_transaction_read_only = on), as in a switch-over: start again when that is over, or set it to off.`,
    ],
    [settings !== Object.values(SETTINGS).join(','), NO_PROXY],
  ]
  return wrong.flatMap(([is_wrong, sentence]) => (is_wrong ? [sentence] : []))
}

/** @throws Error for tables of an older version: nothing is copied into them */
function refuseFilled({ version }: { version: number }, { host, database }: DatabaseLocation): void {
  if (version !== 0 && version < NEWEST)
    throw new Error(
      `The database ${database} at ${host} has tables of an older version of the gateway: name an empty database.`,
    )
}

async function migrateTables(connection: Connection, { user, database }: DatabaseLocation): Promise<void> {
  try {
    await migrate(connection)
  } catch (thrown) {
    if (!(thrown instanceof StatementError) || thrown.code !== '42501') throw thrown
    throw new Error(
      `The user ${user} may not change the tables of the database ${database} (${thrown.message}): ` +
        `let it own them, by GRANT CREATE ON DATABASE ${database} TO ${user} and ALTER SCHEMA ${SCHEMA} OWNER TO ${user}.`,
    )
  }
}

/** Names and ids must be compared by bytes, as on SQLite: in another order, pages of lists would skip rows. */
export async function faultsOfCollation(connection: Connection): Promise<string[]> {
  const { rows } = await connection.ask(
    `SELECT c.relname || '.' || a.attname
       FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = a.attrelid JOIN pg_collation AS o ON o.oid = a.attcollation
      WHERE c.relnamespace = $1::text::regnamespace AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped
        AND o.collname <> 'C' ORDER BY 1 LIMIT 1`,
    [SCHEMA],
  )
  return rows.map(
    ([column]) =>
      `The column ${column} has another collation than "C": the tables were changed by hand. ` +
      'Restore them by ALTER TABLE … ALTER COLUMN … TYPE text COLLATE "C".',
  )
}
