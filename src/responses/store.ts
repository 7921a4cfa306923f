// The store of kept responses: rows in the database and files for large responses, within limits of size and age.
import type { ResponseSettings } from '../domain/catalogue.ts'
import { invalidRequest, notFound } from '../domain/errors.ts'
import { DAY_MS } from '../domain/ranges.ts'
import type { StoredBytes } from '../domain/stored-bytes.ts'
import type { Awaitable, Db, Tx } from '../store/db.ts'
import {
  type ContentFiles,
  type KeptBody,
  keepContent,
  MAX_ROW_BYTES,
  removeStrays,
  writeContent,
} from '../store/kept/content.ts'
import { createRoom, type Room, sufficient } from '../store/kept/room.ts'
import { type KeepLimits, MEGABYTE } from '../store/kept/space.ts'
import { endOfTurn } from '../utilities/end-of-turn.ts'
import type { KeptResponse, ResponseStore } from './kept-responses.ts'
import { encodeLines } from './lines.ts'
import { responseQueries } from './queries.ts'
import { openResponse, readItems, readResponse, type Turn, type TurnOrder, turnsOf } from './reading.ts'
import { deleteFound, deleteNamed, deleteSomeOf, findVisible, insertRow, type Row, UNSYNCED } from './rows.ts'

export interface KeptResponses extends ResponseStore {
  /** The bytes that `itemsUntil` will read, so that the caller can reserve memory first; undefined as for `find`. */
  bytesUntil(account_id: number, id: string): Awaitable<number | undefined>
  /** The response object as unparsed JSON, which may be large; undefined as for `find`. */
  open(account_id: number, id: string): Promise<Uint8Array | StoredBytes | undefined>
  /** The conversation up to and including a response, turn by turn; undefined as for `find`. */
  turnsUntil(account_id: number, id: string, order: TurnOrder): Promise<AsyncGenerator<Turn> | undefined>
  /** Deletes responses that expired, belong to closed accounts, or exceed lowered limits; all responses if none may be kept. */
  sweep(): Promise<void>
  /** Recounts the space in use, for gateways that share the database. */
  followOthers(): Promise<void>
  /** Deletes files without a row. Call it only at start, from the only gateway of the folder. @returns the number of deleted files */
  recover(): Promise<number>
}

interface KeptResponsesOptions {
  db: Db
  files: ContentFiles
  settings: () => ResponseSettings
  now: () => number
  /** Called at named points, where crash tests end the process. */
  probe: (point: string) => void
}

/** The folder of large responses in the data folder. */
export const RESPONSES_FOLDER = 'responses'

/** Longer conversations cannot be continued: each call reads its whole conversation. */
export const MAX_CHAIN_LENGTH = 2_000

/** Time for calls under way: a response that a call continues still exists when the call ends. */
const GRACE_MS = 3_600_000
/** Limits per transaction, for evictions and for expired responses. */
const MAX_REMOVED_AT_ONCE = 16
const MAX_EXPIRED = 100

type Continued = Pick<Row, 'account_id' | 'response_id'>

interface State extends KeptResponsesOptions {
  limits: () => KeepLimits
  room: Room
  /** Predecessors of responses that are being written, which must not be evicted. */
  continued: Continued[]
}

/**
 * Creates the store. A conversation is read from its beginning, so a response stays as long as another continues it; if it was deleted
 * or has expired, it is only hidden. To make room, the store evicts responses from the ends of conversations, those first that were
 * not continued for the longest time.
 */
export function createKeptResponses(options: KeptResponsesOptions): KeptResponses {
  const state = stateOf(options)
  const { db, settings, room, files } = state
  const named = (account_id: number, response_id: string) => ({
    account_id,
    response_id,
    expired_by_ms: expiredBy(state),
  })
  const findVisibleOf = (account_id: number, id: string): Awaitable<Row | undefined> =>
    findVisible(db, named(account_id, id))
  return {
    get enabled() {
      return settings().store
    },
    keep: (kept) => keep(state, kept),
    async find(account_id, id) {
      const row = await findVisibleOf(account_id, id)
      return row && (await readResponse(state, row))
    },
    async open(account_id, id) {
      const row = await findVisibleOf(account_id, id)
      return row && (await openResponse(state, row))
    },
    async remove(account_id, id) {
      await room.space()
      const rows = await db.begin((tx) => deleteNamed(tx, named(account_id, id), deletedBy(state)), UNSYNCED)
      if (!rows) return false
      options.probe('response.deleted')
      await room.release(rows)
      return true
    },
    async itemsUntil(account_id, id) {
      const row = await findVisibleOf(account_id, id)
      if (row) rejectTooLong(state, row)
      return row && (await readItems(state, row))
    },
    bytesUntil: async (account_id, id) => (await findVisibleOf(account_id, id))?.chain_bytes,
    async turnsUntil(account_id, id, order) {
      const row = await findVisibleOf(account_id, id)
      return row && turnsOf(state, row, order)
    },
    sweep: () => sweep(state),
    followOthers: room.renew,
    async recover() {
      const named = await responseQueries(db).bodyFiles.all()
      room.recount()
      return await removeStrays(files, new Set(named.map(({ body_file }) => body_file)))
    },
  }
}

function stateOf(options: KeptResponsesOptions): State {
  const { db, files, settings } = options
  const queries = responseQueries(db)
  const continued: Continued[] = []
  const isContinued = (row: Row) =>
    continued.some(
      ({ account_id, response_id }) => account_id === row.account_id && response_id === row.response_id,
    )
  const limits = () => ({
    kept_bytes: settings().max_mb * MEGABYTE,
    kept_bytes_per_account: settings().max_mb_per_account * MEGABYTE,
  })
  const giveUp = (account_id: number, over_bytes: number) =>
    db.begin(async (tx) => {
      let must_stay = false
      const find = async () => {
        const row_limit = MAX_REMOVED_AT_ONCE + continued.length
        const oldest = await responseQueries(tx).oldestLast.all({ account_id, row_limit })
        const free = oldest.filter((row) => !isContinued(row))
        must_stay = oldest.length > 0 && free.length === 0
        return sufficient(free, over_bytes)
      }
      const rows = await deleteFound(tx, find, deletedBy(state))
      return must_stay ? undefined : rows
    }, UNSYNCED)
  const room = createRoom({ files, limits, holdings: () => queries.keptSums.all(), giveUp })
  const state: State = { ...options, limits, room, continued }
  return state
}

/** Responses created at this time or earlier are hidden; all are if none may be kept. */
const expiredBy = ({ settings, now }: State): number =>
  settings().store ? now() - settings().days * DAY_MS : Number.MAX_SAFE_INTEGER

/** Responses created at this time or earlier are deleted, unless another response continues them. */
const deletedBy = (state: State): number => expiredBy(state) - (state.settings().store ? GRACE_MS : 0)

async function keep(state: State, kept: KeptResponse): Promise<void> {
  const { db, settings, continued, probe } = state
  const { account_id, previous_id } = kept
  if (!settings().store) return
  const continues = previous_id === undefined ? undefined : { account_id, response_id: previous_id }
  // Before the first await. The predecessor may already be deleted, but cannot be evicted from here on.
  if (continues) continued.push(continues)
  try {
    const lines = await encodeLines(kept)
    const body = await write(state, account_id, lines)
    probe('response.written')
    const is_kept = await keepContent(state, { account_id, body, more_bytes: 0 }, (columns) =>
      insertRow(db, kept, columns),
    )
    if (!is_kept)
      throw notFound(`The response "${previous_id}", which this one continues, was deleted in the meantime.`)
    probe('response.kept')
  } finally {
    if (continues) continued.splice(continued.indexOf(continues), 1)
  }
}

async function write(state: State, account_id: number, lines: readonly Uint8Array[]): Promise<KeptBody> {
  const size_bytes = lines.reduce((total, { length }) => total + length, 0)
  return size_bytes <= MAX_ROW_BYTES
    ? { bytes: Buffer.concat(lines) }
    : await writeContent(state, account_id, lines)
}

/** @throws GatewayError invalid_request if the conversation is too long to continue */
function rejectTooLong({ settings }: State, { chain_bytes, chain_length }: Row): void {
  const { max_mb_per_conversation } = settings()
  if (chain_bytes <= max_mb_per_conversation * MEGABYTE && chain_length < MAX_CHAIN_LENGTH) return
  throw invalidRequest(
    `previous_response_id: this conversation is too long to continue (${chain_length} responses, ` +
      `${Math.ceil(chain_bytes / MEGABYTE)} MB; at most ${MAX_CHAIN_LENGTH} responses and ${max_mb_per_conversation} MB). ` +
      'Start a new one, with a summary of this one in `input`.',
    { param: 'previous_response_id', code: 'conversation_too_long' },
  )
}

async function sweep(state: State): Promise<void> {
  const { db, room } = state
  const space = await room.space()
  await deleteWhile(state, (tx) => {
    const expired_by_ms = deletedBy(state)
    const find = () => responseQueries(tx).expiredLast.all({ expired_by_ms, row_limit: MAX_EXPIRED })
    return deleteFound(tx, find, expired_by_ms)
  })
  // Calls that were under way when their account was closed may have kept responses.
  for (const { account_id } of await responseQueries(db).closedHolders.all())
    await deleteWhile(state, (tx) => deleteSomeOf(tx, account_id))
  for (const account_id of space.accounts()) await room.make(account_id)
}

/** Deletes rows and their files, a few in each transaction, until none are left. */
async function deleteWhile({ db, room }: State, deleteSome: (tx: Tx) => Promise<Row[]>): Promise<void> {
  for (;;) {
    const rows = await db.begin(deleteSome, UNSYNCED)
    if (rows.length === 0) return
    await room.release(rows)
    await endOfTurn()
  }
}
