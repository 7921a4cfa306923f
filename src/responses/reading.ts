// The reading of kept responses: one, or a whole conversation turn by turn.
import type { Database } from 'bun:sqlite'
import { notFound } from '../domain/errors.ts'
import { type ContentFiles, openContent } from '../kept/content.ts'
import { type JsonObject, objectsIn } from '../protocols/wire/json.ts'
import type { KeptResponse } from './kept-responses.ts'
import { type Content, createPace, decodeLines } from './lines.ts'
import { responseQueries } from './queries.ts'
import { chainFrom, type Row } from './rows.ts'

export interface Readable {
  db: Database
  files: Pick<ContentFiles, 'open'>
}

/** The part of a conversation that one response added. */
export interface Turn extends Content {
  id: string
}

/** What is kept of a row; undefined where it is gone by now, or its file is missing. */
async function contentOf({ db, files }: Readable, { id }: Row): Promise<Content | undefined> {
  const found = responseQueries(db).body.get({ id })
  const bytes = found && (await openContent(files, found))
  return bytes && (await decodeLines(bytes))
}

/** A response with the public id of the one that it continues. */
export async function readResponse(from: Readable, row: Row): Promise<KeptResponse | undefined> {
  const { account_id, response_id: id, created_at_ms, previous } = row
  const previous_id =
    previous === null ? undefined : responseQueries(from.db).row.get({ id: previous })?.response_id
  const content = await contentOf(from, row)
  return content && { id, account_id, previous_id, created_at_ms, ...content }
}

/**
 * The turns of a conversation up to and with a row.
 *
 * @param rows in the order in which they are to be read
 * @throws GatewayError not_found where a part of it cannot be found
 */
export async function* readTurns(from: Readable, rows: Iterable<Row>): AsyncGenerator<Turn> {
  const pace = createPace()
  for (const row of rows) {
    const content = await contentOf(from, row)
    if (!content)
      throw notFound(`A part of the conversation of the response "${row.response_id}" is missing.`)
    yield { id: row.response_id, ...content }
    await pace(row.kept_bytes)
  }
}

/** The rows of a conversation, the oldest first. */
export const oldestFirst = (db: Database, row: Row): Row[] => [...chainFrom(db, row)].reverse()

/** All items of a conversation, the oldest first; undefined where a part of it cannot be found. */
export async function readItems(from: Readable, row: Row): Promise<JsonObject[] | undefined> {
  const items: JsonObject[] = []
  const pace = createPace()
  for (const one of oldestFirst(from.db, row)) {
    const content = await contentOf(from, one)
    if (!content) return undefined
    for (const item of content.input) items.push(item)
    for (const item of outputOf(content)) items.push(item)
    await pace(one.kept_bytes)
  }
  return items
}

export const outputOf = ({ response }: Pick<Content, 'response'>): JsonObject[] => objectsIn(response.output)
