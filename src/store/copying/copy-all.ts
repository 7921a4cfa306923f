// The copy of all rows from one database to another, between any engines; each row is read back and compared.
import { isStorageFailure, unprocessable } from '../../domain/errors.ts'
import { messageOf } from '../../utilities/thrown.ts'
import { type Db, LONG } from '../db.ts'
import { type CopiedTable, copiedTables, newestIdSql } from './tables.ts'
import type { CopyTarget, CopyWriter, Row, Value } from './target.ts'

/** The size of a page: as many rows as probably have this many bytes, judged by the rows before. */
const MAX_PAGE_BYTES = 4 * 1024 * 1024
const MAX_PAGE_ROWS = 1_000
const FIRST_PAGE_ROWS = 16
/** The least size of a row, besides its texts and bytes. */
const MIN_ROW_BYTES = 100

export interface CopyResult {
  /** The number of rows of each table. */
  readonly rows: Readonly<Record<string, number>>
  /** Texts that the target cannot store unchanged, such as `generations.prompt of id 7`: there, � replaces the characters that it cannot store. */
  readonly changed: readonly string[]
}

/**
 * Copies all rows of all tables as of one moment; later writes are not copied. Future ids will be greater than every id that a row has
 * or had, as far as is known. At the end everything is read back.
 *
 * @param from only read; its tables are of this program's version
 * @param onRows called with the number of rows copied so far
 * @throws GatewayError and StorageFailure as `CopyTarget.fill`, which undoes everything; Error if a table reads back differently
 */
export function copyAll(
  from: Db,
  to: CopyTarget,
  onRows: (rows: number) => void = () => {},
): Promise<CopyResult> {
  return to.fill(async (writer) => {
    // The snapshot of the source ends before the copy is compared: on a server it makes calls slower.
    const { sent, changed, newest } = await from.snapshot((snapshot) => copy(snapshot, writer, onRows), LONG)
    await compare(writer, sent)
    for (const [table, id] of newest) await writer.goOnAfter(table, id)
    return { rows: Object.fromEntries(Array.from(sent, ([name, { rows }]) => [name, rows])), changed }
  })
}

async function copy(snapshot: Db, writer: CopyWriter, onRows: (rows: number) => void) {
  const changed: string[] = []
  const sent = new Map<string, Digest>()
  let rows = 0
  for (const table of copiedTables()) {
    const digest = new Digest()
    for await (const page of pagesOf(snapshot, table)) {
      const storable = page.map((row) => storableRow(table, row, { writer, changed }))
      await insert(writer, table, storable)
      digest.add(storable)
      rows += page.length
      onRows(rows)
    }
    sent.set(table.name, digest)
  }
  return { sent, changed, newest: await newestIds(snapshot) }
}

/** Yields the rows of a table in the order of its key. */
async function* pagesOf(db: Pick<Db, 'rows'>, { name, columns, key }: CopiedTable): AsyncGenerator<Row[]> {
  const keys = key.map(quoted).join(', ')
  const select = `SELECT ${columns.map((column) => quoted(column.name)).join(', ')} FROM ${quoted(name)}`
  const order = `ORDER BY ${keys} LIMIT $limit`
  const first = `${select} ${order}`
  const next = `${select} WHERE (${keys}) > (${key.map((column) => `$${column}`).join(', ')}) ${order}`
  let limit = FIRST_PAGE_ROWS
  let last: Row | undefined
  for (;;) {
    const after = last && Object.fromEntries(key.map((column) => [column, last?.[column] ?? null]))
    const rows: Row[] = await db.rows<Row>(last ? next : first, { ...after, limit })
    last = rows.at(-1)
    if (!last) return
    yield rows
    const mean_bytes = rows.reduce((sum, row) => sum + bytesOf(row), 0) / rows.length
    limit = Math.max(1, Math.min(MAX_PAGE_ROWS, Math.floor(MAX_PAGE_BYTES / mean_bytes)))
  }
}

const quoted = (name: string): string => `"${name}"`

const bytesOf = (row: Row): number =>
  Object.values(row).reduce<number>(
    (sum, value) => sum + (typeof value === 'string' || value instanceof Uint8Array ? value.length : 0),
    MIN_ROW_BYTES,
  )

/** @throws GatewayError unprocessable naming the rows, if one of them is refused; StorageFailure */
async function insert(writer: CopyWriter, table: CopiedTable, rows: readonly Row[]): Promise<void> {
  try {
    await writer.insert(table, rows)
  } catch (cause) {
    if (isStorageFailure(cause)) throw cause
    const [from, to] = [rows[0], rows.at(-1)].map((row) => row && placeOf(table, row))
    throw unprocessable(
      `${table.name}: a row from ${from} to ${to} is refused (${messageOf(cause)}). ` +
        'Audit the database that is copied with `tollgate audit`, and report this: nothing was changed.',
      { cause },
    )
  }
}

const placeOf = ({ key }: CopiedTable, row: Row): string =>
  key.map((each) => `${each} ${row[each]}`).join(', ')

/** @throws GatewayError unprocessable for a number that would not be stored exactly */
function storableRow(
  table: CopiedTable,
  row: Row,
  { writer, changed }: { writer: CopyWriter; changed: string[] },
): Row {
  let stored = row
  for (const { name: column } of table.columns) {
    const value = row[column]
    if (typeof value === 'number' && !Number.isSafeInteger(value))
      throw unprocessable(
        `${table.name}.${column} of ${placeOf(table, row)} is no integer that is exact: correct it first.`,
      )
    if (typeof value !== 'string') continue
    const text = writer.storable(value)
    if (text === value) continue
    changed.push(`${table.name}.${column} of ${placeOf(table, row)}`)
    stored = { ...stored, [column]: text }
  }
  return stored
}

/** The number of rows, and a hash over their values. */
class Digest {
  rows = 0
  readonly #hasher = new Bun.CryptoHasher('sha256')

  add(rows: readonly Row[]): void {
    this.rows += rows.length
    for (const row of rows) this.#hasher.update(`${JSON.stringify(Object.values(row).map(plain))}\n`)
  }

  end(): string {
    return `${this.rows} ${this.#hasher.digest('hex')}`
  }
}

const plain = (value: Value): string | number | null => (value instanceof Uint8Array ? value.toHex() : value)

async function compare(writer: CopyWriter, sent: ReadonlyMap<string, Digest>): Promise<void> {
  for (const table of copiedTables()) {
    const found = new Digest()
    for await (const page of pagesOf(writer, table)) found.add(page)
    if (found.end() !== sent.get(table.name)?.end())
      throw new Error(
        `The table ${table.name} reads back with other rows than were copied: the copy was given up, and nothing was changed. Try again.`,
      )
  }
}

/** Whether the table's key is a number. */
const isNumbered = ({ key, columns }: CopiedTable): boolean =>
  key.length === 1 && columns.some(({ name, type }) => name === key[0] && type === 'integer')

/** Returns the newest ids of the tables that number their rows. */
async function newestIds(from: Db): Promise<[CopiedTable, number][]> {
  const newest: [CopiedTable, number][] = []
  for (const table of copiedTables()) {
    if (!isNumbered(table)) continue
    const [row] = await from.rows<{ id: number }>(newestIdSql(table))
    if (row && row.id > 0) newest.push([table, row.id])
  }
  return newest
}
