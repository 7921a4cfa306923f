// The reading of kept responses: a single one, or a whole conversation turn by turn.
import { notFound } from '../domain/errors.ts'
import type { StoredBytes } from '../domain/stored-bytes.ts'
import { type JsonObject, objectsIn } from '../protocols/wire/json.ts'
import type { Db } from '../store/db.ts'
import { type ContentFiles, openContent } from '../store/kept/content.ts'
import type { KeptResponse } from './kept-responses.ts'
import { type Content, createPace, decodeLines, firstLine, splitLines } from './lines.ts'
import { responseQueries } from './queries.ts'
import { chainFrom, type Row } from './rows.ts'

interface Readable {
  db: Db
  files: Pick<ContentFiles, 'open'>
}

export type TurnOrder = 'oldest first' | 'newest first'

/** The part of a conversation that one response added. */
export interface Turn {
  id: string
  /** The size of the response's lines. */
  kept_bytes: number
  /** The response, and each of its input items, as JSON. @throws GatewayError not_found if they are missing */
  lines(): Promise<[response: Uint8Array, ...input: Uint8Array[]]>
}

/** The lines of a row; undefined if the row was deleted, or its file is missing. */
async function bytesOf({ db, files }: Readable, { id }: Row): Promise<Uint8Array | StoredBytes | undefined> {
  const found = await responseQueries(db).body.get({ id })
  return found && (await openContent(files, found))
}

async function contentOf(from: Readable, row: Row): Promise<Content | undefined> {
  const bytes = await bytesOf(from, row)
  return bytes && (await decodeLines(bytes))
}

/** The response object of a row as unparsed JSON; undefined if the row was deleted, or its file is missing. */
export async function openResponse(from: Readable, row: Row): Promise<Uint8Array | StoredBytes | undefined> {
  const bytes = await bytesOf(from, row)
  return bytes && (await firstLine(bytes))
}

/** A response with the public id of its predecessor. */
export async function readResponse(from: Readable, row: Row): Promise<KeptResponse | undefined> {
  const { account_id, response_id: id, created_at_ms, previous } = row
  const before = previous === null ? undefined : await responseQueries(from.db).row.get({ id: previous })
  const content = await contentOf(from, row)
  return content && { id, account_id, previous_id: before?.response_id, created_at_ms, ...content }
}

/** Page size for readers that may not need all rows. */
const ROWS_A_PAGE = 100

/** The turns of a conversation up to and including a response. Each turn's lines are read on demand. */
export async function* turnsOf(from: Readable, row: Row, order: TurnOrder): AsyncGenerator<Turn> {
  if (order === 'oldest first') {
    for (const one of await oldestFirst(from.db, row)) yield turnOf(from, one)
    return
  }
  for (let next: Row | undefined = row; next; ) {
    // The last of them begins the next page.
    const page = await chainFrom(from.db, next, ROWS_A_PAGE)
    for (const one of page.slice(0, ROWS_A_PAGE)) yield turnOf(from, one)
    next = page[ROWS_A_PAGE]
  }
}

const turnOf = (from: Readable, row: Row): Turn => ({
  id: row.response_id,
  kept_bytes: row.kept_bytes,
  lines: () => linesOf(from, row),
})

async function linesOf(from: Readable, row: Row): ReturnType<Turn['lines']> {
  const body = await bytesOf(from, row)
  if (!body) throw notFound(`A part of the conversation of the response "${row.response_id}" is missing.`)
  return splitLines(body instanceof Uint8Array ? body : await body.bytes())
}

const oldestFirst = async (db: Db, row: Row): Promise<Row[]> => (await chainFrom(db, row)).toReversed()

/** All items of a conversation, oldest first; undefined if a part of it is missing. */
export async function readItems(from: Readable, row: Row): Promise<JsonObject[] | undefined> {
  const items: JsonObject[] = []
  const pace = createPace()
  for (const one of await oldestFirst(from.db, row)) {
    const content = await contentOf(from, one)
    if (!content) return undefined
    for (const item of content.input) items.push(item)
    for (const item of outputOf(content)) items.push(item)
    await pace(one.kept_bytes)
  }
  return items
}

const outputOf = ({ response }: Pick<Content, 'response'>): readonly JsonObject[] =>
  objectsIn(response.output)
