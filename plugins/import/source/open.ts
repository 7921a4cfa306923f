// Another gateway's database, opened by its kind: a PostgreSQL address, a SQLite file, or a MySQL dump.
import { statSync } from 'node:fs'
import { invalidRequest } from '../../../src/domain/errors.ts'
import { firstBytes } from './first-bytes.ts'
import { openMysqlDump } from './mysql-dump.ts'
import { openPostgresTables } from './postgres.ts'
import type { SourceTables } from './rows.ts'
import { openSqlite } from './sqlite.ts'

const ADVICE = 'Name a SQLite file, a postgres:// address, or a MySQL dump (.sql or .sql.gz).'
const HEAD_BYTES = 64
const UNPACK = 'is packed: unpack it, or pack it with gzip.'

/** Unsupported files by their first bytes, as file(1) recognizes them, each with advice. */
const OTHERS: readonly (readonly [begins: string, fault: string])[] = [
  ['Salted__', 'is encrypted by openssl: decrypt it first.'],
  ['-----BEGIN PGP', 'is encrypted by PGP: decrypt it first.'],
  ['age-encryption.org', 'is encrypted by age: decrypt it first.'],
  ['PK\x03\x04', UNPACK],
  ['BZh', UNPACK],
  ['\xfd7zXZ', UNPACK],
  ['\x28\xb5\x2f\xfd', UNPACK],
  ['PGDMP', 'is a dump of PostgreSQL: restore it to a server, and name its postgres:// address.'],
  ['--\n-- PostgreSQL', 'is a dump of PostgreSQL: restore it to a server, and name its postgres:// address.'],
  ['PRAGMA foreign_keys', 'is the text of a SQLite database: make a file of it by sqlite3 FILE.db < DUMP.'],
]

/**
 * Opens a database of another gateway, to be read only.
 *
 * @param database a path, or an address
 * @throws GatewayError invalid_request that says what to do
 */
export async function openTables(database: string): Promise<SourceTables> {
  if (/^postgres(?:ql)?:\/\//i.test(database)) return openPostgresTables(database)
  if (/^(?:mysql|mariadb):\/\//i.test(database))
    throw invalidRequest(
      'MySQL databases are imported from a dump. Run mysqldump --single-transaction DATABASE > dump.sql, and name dump.sql.',
    )
  if (/^\w+:\/\//.test(database))
    throw invalidRequest(`Tollgate cannot read a database at this address. ${ADVICE}`)
  const stat = statSync(database, { throwIfNoEntry: false })
  if (!stat) throw invalidRequest(`${database} does not exist. ${ADVICE}`)
  if (!stat.isFile()) throw invalidRequest(`${database} is not a file. ${ADVICE}`)
  return openFile(database)
}

async function openFile(path: string): Promise<SourceTables> {
  const head = firstBytes(path, HEAD_BYTES).toString('latin1')
  if (head === '') throw invalidRequest(`${path} is empty. ${ADVICE}`)
  if (head.startsWith('SQLite format 3\0')) return openSqlite(path)
  const other = OTHERS.find(([begins]) => head.startsWith(begins))
  if (other) throw invalidRequest(`${path} ${other[1]}`)
  const is_gzip = head.startsWith('\x1f\x8b')
  if (!is_gzip && [...head].some(isNoText))
    throw invalidRequest(
      `${path} is neither a SQLite file nor a text: it is encrypted, or of another program. ${ADVICE}`,
    )
  return openMysqlDump(path)
}

/** Whether a character is a control character other than white space. */
const isNoText = (char: string): boolean => char < '\t' || (char > '\r' && char < ' ')
