// Kept responses in a database, and in a folder of their own for the large ones: conversations, bounded and for a time.
import type { Database } from 'bun:sqlite'
import { untilFree } from '../db/busy.ts'
import { immediately } from '../db/transaction.ts'
import type { ResponseSettings } from '../domain/catalogue.ts'
import { invalidRequest, notFound } from '../domain/errors.ts'
import {
  type ContentFiles,
  type KeptBody,
  keepContent,
  MAX_ROW_BYTES,
  removeStrays,
  writeContent,
} from '../kept/content.ts'
import { createRoom, type Room, sufficient } from '../kept/room.ts'
import { type KeepLimits, MEGABYTE } from '../kept/space.ts'
import { endOfTurn } from '../utilities/end-of-turn.ts'
import type { KeptResponse, ResponseStore } from './kept-responses.ts'
import { encodeLines } from './lines.ts'
import { responseQueries } from './queries.ts'
import { oldestFirst, openResponse, readItems, readResponse, type Turn, turnsOf } from './reading.ts'
import { chainFrom, deleteLast, deleteNamed, deleteSomeOf, findShown, insertRow, type Row } from './rows.ts'

export interface KeptResponses extends ResponseStore {
  /** The size of what `itemsUntil` reads, so that memory can be taken for it first; undefined as for `find`. */
  bytesUntil(account_id: number, id: string): number | undefined
  /** The response object as JSON, which is not parsed, and may be large; undefined as for `find`. */
  open(account_id: number, id: string): Promise<Uint8Array | Blob | undefined>
  /** The conversation up to and with a response, turn by turn; undefined as for `find`. */
  turnsUntil(account_id: number, id: string, order: TurnOrder): Generator<Turn> | undefined
  /** Deletes what is past its time, or a closed account's, and what is over bounds that were lowered; everything where none may be kept. */
  sweep(): Promise<void>
  /** Deletes files that no row names. Only at start. @returns how many there were */
  recover(): Promise<number>
}

export type TurnOrder = 'oldest first' | 'newest first'

export interface KeptResponsesOptions {
  /** A connection of its own: it may lose its last commits in a power cut, as the ledger's may not. */
  db: Database
  files: ContentFiles
  settings: () => ResponseSettings
  now: () => number
  /** Called at named points of the work, where tests end the process. */
  probe: (point: string) => void
}

/** The folder of large responses in the data folder. */
export const RESPONSES_FOLDER = 'responses'

/** Longer conversations are not continued: each call reads all of its conversation. */
export const MAX_CHAIN_LENGTH = 2_000

const DAY_MS = 86_400_000
/** What a call began to continue is still there when the call ends. */
const GRACE_MS = 3_600_000
/** Responses that are given up in one transaction, and those that expire in one. */
const MAX_GIVEN_UP = 16
const MAX_EXPIRED = 100

interface State extends KeptResponsesOptions {
  limits: () => KeepLimits
  room: Room
  /** The rows after which responses are being kept: they are not given up meanwhile. */
  continued: number[]
}

/**
 * Kept responses. A response stays as long as one that continues it, since a conversation is read from its beginning;
 * one that was deleted or is past its time is no longer shown then. What is over a bound is given up from the ends of
 * conversations, first of those that were continued longest ago.
 */
export function createKeptResponses(options: KeptResponsesOptions): KeptResponses {
  const state = stateOf(options)
  const { db, settings, room, files } = state
  const shown = (account_id: number, id: string): Row | undefined =>
    findShown(db, { account_id, response_id: id, expired_by_ms: expiredBy(state) })
  return {
    get enabled() {
      return settings().store
    },
    keep: (kept) => keep(state, kept),
    async find(account_id, id) {
      const row = shown(account_id, id)
      return row && (await readResponse(state, row))
    },
    async open(account_id, id) {
      const row = shown(account_id, id)
      return row && (await openResponse(state, row))
    },
    async remove(account_id, id) {
      room.space()
      const gone = await untilFree(() =>
        immediately(db, () => {
          const row = shown(account_id, id)
          return row && deleteNamed(db, row, goneBy(state))
        }),
      )
      if (!gone) return false
      options.probe('response.deleted')
      await room.release(gone)
      return true
    },
    async itemsUntil(account_id, id) {
      const row = shown(account_id, id)
      if (row) refuseLong(state, row)
      return row && (await readItems(state, row))
    },
    bytesUntil: (account_id, id) => shown(account_id, id)?.chain_bytes,
    turnsUntil(account_id, id, order) {
      const row = shown(account_id, id)
      return row && turnsOf(state, order === 'oldest first' ? oldestFirst(db, row) : chainFrom(db, row))
    },
    sweep: () => sweep(state),
    async recover() {
      const named = responseQueries(db).bodyFiles.all()
      room.recount()
      return await removeStrays(files, new Set(named.map(({ body_file }) => body_file)))
    },
  }
}

function stateOf(options: KeptResponsesOptions): State {
  const { db, files, settings } = options
  const queries = responseQueries(db)
  const continued: number[] = []
  const limits = () => ({
    kept_bytes: settings().max_mb * MEGABYTE,
    kept_bytes_per_account: settings().max_mb_per_account * MEGABYTE,
  })
  function giveUp(account_id: number, over_bytes: number): Row[] | undefined {
    const oldest = queries.oldestLast.all({ account_id, row_limit: MAX_GIVEN_UP + continued.length })
    const free = oldest.filter(({ id }) => !continued.includes(id))
    if (oldest.length > 0 && free.length === 0) return undefined
    return immediately(db, () => deleteLast(db, sufficient(free, over_bytes), goneBy(state)))
  }
  const room = createRoom({ files, limits, holdings: () => queries.keptSums.all(), giveUp })
  const state: State = { ...options, limits, room, continued }
  return state
}

/** What was made then or earlier is not shown: nothing at all is, where the operator lets none be kept. */
const expiredBy = ({ settings, now }: State): number =>
  settings().store ? now() - settings().days * DAY_MS : Number.MAX_SAFE_INTEGER

/** What was made then or earlier is deleted, unless something continues it. */
const goneBy = (state: State): number => expiredBy(state) - (state.settings().store ? GRACE_MS : 0)

async function keep(state: State, kept: KeptResponse): Promise<void> {
  const { db, settings, continued, probe } = state
  const { account_id, previous_id } = kept
  if (!settings().store) return
  const lines = await encodeLines(kept)
  const previous = previous_id && responseQueries(db).named.get({ account_id, response_id: previous_id })
  const continues = previous ? previous.id : undefined
  if (continues !== undefined) continued.push(continues)
  try {
    const body = await write(state, account_id, lines)
    probe('response.written')
    const is_kept = await keepContent(state, { account_id, body, more_bytes: 0 }, (columns) =>
      insertRow(db, kept, columns),
    )
    if (!is_kept)
      throw notFound(`The response "${previous_id}", which this one continues, is kept no longer.`)
    probe('response.kept')
  } finally {
    if (continues !== undefined) continued.splice(continued.indexOf(continues), 1)
  }
}

async function write(state: State, account_id: number, lines: readonly Uint8Array[]): Promise<KeptBody> {
  const size_bytes = lines.reduce((total, { length }) => total + length, 0)
  return size_bytes <= MAX_ROW_BYTES
    ? { bytes: Buffer.concat(lines) }
    : await writeContent(state, account_id, lines)
}

/** @throws GatewayError invalid_request if a conversation is too long to be continued */
function refuseLong({ settings }: State, { chain_bytes, chain_length }: Row): void {
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
  const { expiredLast, closedHolders } = responseQueries(db)
  const expire = () => {
    const expired_by_ms = goneBy(state)
    return deleteLast(db, expiredLast.all({ expired_by_ms, row_limit: MAX_EXPIRED }), expired_by_ms)
  }
  room.space()
  await deleteWhile(state, expire)
  // What calls kept that were under way when their account was closed.
  for (const { account_id } of closedHolders.all())
    await deleteWhile(state, () => deleteSomeOf(db, account_id))
  for (const account_id of room.space().accounts()) await room.make(account_id)
}

/** Deletes rows and their files, a few in each transaction, as long as there are any. */
async function deleteWhile({ db, room }: State, deleteSome: () => Row[]): Promise<void> {
  for (;;) {
    const gone = await untilFree(() => immediately(db, deleteSome))
    if (gone.length === 0) return
    await room.release(gone)
    await endOfTurn()
  }
}
