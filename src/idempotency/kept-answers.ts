// Answers kept under Idempotency-Keys: database rows, with large bodies in files; and the keys of requests that ended without an answer.
import type { StoredBytes } from '../domain/stored-bytes.ts'
import type { Awaitable, Db } from '../store/db.ts'
import { isAlive } from '../store/gateways.ts'
import {
  type ContentFiles,
  type KeptBody,
  keepContent,
  openContent,
  removeStrays,
  writeContent,
} from '../store/kept/content.ts'
import type { Call, Hold, IdempotencyKey } from '../store/schema.ts'
import { idempotencyQueries } from './queries.ts'
import { type AnswerLimits, createAnswerRoom, type KeyOfAccount } from './room.ts'

/** The longest time by which a row may become visible after it was dated. */
const SEEN_LATE_MS = 600_000

/** @returns a function that releases this gateway's keys without an answer, except those of running requests */
function createKeyRelease(
  db: Db,
  { now, gateway_id }: { now: () => number; gateway_id: number },
): (isUnderWay: (row: KeyOfAccount) => boolean) => Promise<void> {
  /** Earlier requests are answered, or already released. */
  let since_ms = now() - SEEN_LATE_MS
  return async (isUnderWay) => {
    const read_at_ms = now()
    const unanswered = await idempotencyQueries(db).unanswered.all({ gateway_id, since_ms })
    const under_way = unanswered.filter(isUnderWay)
    // A later call with the key has another row, with another number.
    const left = unanswered.filter((row) => !under_way.includes(row)).map(({ id }) => id)
    if (left.length > 0)
      await db.write((db) => idempotencyQueries(db).disown.run({ ids: JSON.stringify(left) }))
    const oldest_ms = under_way.map(({ created_at_ms }) => created_at_ms - 1)
    since_ms = Math.min(read_at_ms - SEEN_LATE_MS, ...oldest_ms)
  }
}

/** A request with a key. */
export interface KeyedRequest {
  account_id: number
  key: string
  /** The hash of its method, URL and content. */
  request_sha256: Buffer
  request_id: string
}

/** The answer that is sent again. The headers are those that the gateway set. */
interface KeptAnswer {
  status: number
  headers: [name: string, value: string][]
  body: KeptBody
}

export interface KeptAnswers {
  /** Returns the row of the request's key; undefined if not found, or older than 24 hours. */
  find(request: Pick<KeyedRequest, 'account_id' | 'key'>): Awaitable<IdempotencyKey | undefined>
  /**
   * Takes the key for a request: a free key, or one whose earlier request no longer needs it. It is on the disk before this
   * returns. An account with too many keys loses its oldest.
   * @param previous_id the id of that earlier request; undefined if `find` found none
   * @param isUnderWay whether a key's request is being served: such a key is not removed
   * @returns false if another request has taken it since, or an answer was kept under it
   */
  begin(
    request: KeyedRequest,
    previous_id: string | undefined,
    isUnderWay: (row: KeyOfAccount) => boolean,
  ): Promise<boolean>
  /**
   * Stores an answer under the key, if the request still has it. It is on the disk when this returns. Older answers are dropped
   * for it: first the account's own; if the total bound is exceeded, those of the account that keeps most.
   * @throws GatewayError payload_too_large if there is still no room; the disk's error. No file is left then
   */
  keep(request: KeyedRequest, answer: KeptAnswer): Promise<void>
  /** Frees the key, if the request still has it. */
  forget(request: Pick<KeyedRequest, 'account_id' | 'key' | 'request_id'>): Promise<void>
  /** Whether a request belongs to another, living gateway, which alone knows its end. */
  isElsewhere(row: Pick<IdempotencyKey, 'gateway_id'>): Awaitable<boolean>
  /** Whether money is held for the request of a key. */
  isHeld(row: Pick<IdempotencyKey, 'account_id' | 'request_id'>): Promise<boolean>
  /** Returns the first recorded call of a key's request, and the cost of all its calls. */
  callOf(
    row: Pick<IdempotencyKey, 'account_id' | 'request_id' | 'after_hold_id'>,
  ): Promise<Pick<Call, 'outcome' | 'cost_nanos'> | undefined>
  /**
   * Writes a body that is too large for a row, and makes room for it as it arrives, as `keep` does.
   * @throws as `AnswerFiles.put`, and GatewayError payload_too_large if there is no room
   */
  write(
    account_id: number,
    content: Uint8Array | AsyncIterable<Uint8Array>,
    cap_bytes: number,
  ): Promise<KeptBody>
  /** Opens a kept body; undefined if its file is missing. */
  open(row: Pick<IdempotencyKey, 'body' | 'body_file'>): Promise<Uint8Array | StoredBytes | undefined>
  /** Deletes keys older than 24 hours, and answers beyond bounds that were lowered. */
  sweep(): Promise<void>
  /**
   * For gateways that share the database: releases the keys of this gateway's requests that ended without an answer, so that any gateway may
   * find out their end; and counts again what all gateways keep.
   * @param isUnderWay whether a key's request is being served
   */
  followOthers(isUnderWay: (row: KeyOfAccount) => boolean): Promise<void>
  /** Deletes files that no row names, and counts the others. Only at start, by the folder's only gateway: it would delete files in progress, too. */
  removeStrays(): Promise<void>
}

/** silent.md, Images: kept 24 hours. */
export const KEPT_FOR_MS = 24 * 60 * 60 * 1000

interface KeptAnswersOptions {
  now: () => number
  limits: () => AnswerLimits
  /** The gateway that serves the requests. */
  gateway_id: number
  /** Holds without a row, as in `Ledger`. */
  unwritten?: () => Iterable<Pick<Hold, 'account_id' | 'request_id'>>
}

/** Like `isOfRequest` of the queries. */
const isPartOf = (request_id: string, id: string): boolean =>
  id === request_id || id.startsWith(`${request_id}-`)

/** Creates kept answers in a database, with a folder for the large bodies. */
export function createKeptAnswers(
  db: Db,
  files: ContentFiles,
  { now, limits, gateway_id, unwritten = () => [] }: KeptAnswersOptions,
): KeptAnswers {
  const queries = idempotencyQueries(db)
  const expired_by_ms = () => now() - KEPT_FOR_MS
  const room = createAnswerRoom(db, files, { limits, gateway_id })
  const releaseKeys = createKeyRelease(db, { now, gateway_id })

  async function take(request: KeyedRequest, previous_id: string | undefined): Promise<boolean> {
    const values = { ...request, seen: previous_id ?? null, created_at_ms: now(), gateway_id }
    return (await db.write((db) => idempotencyQueries(db).take.get(values))) !== undefined
  }

  /** @returns whether the key was an expired one */
  async function forgetExpired(request: KeyedRequest): Promise<boolean> {
    const values = { ...request, expired_by_ms: expired_by_ms() }
    const expired = await db.write((db) => idempotencyQueries(db).deleteExpiredKey.all(values))
    await room.release(expired)
    return expired.length > 0
  }

  return {
    find: (request) => queries.find.get({ ...request, expired_by_ms: expired_by_ms() }),
    async begin(request, previous_id, isUnderWay) {
      await room.countKeys()
      const is_taken =
        (await take(request, previous_id)) ||
        ((await forgetExpired(request)) && (await take(request, previous_id)))
      if (!is_taken) return false
      if (previous_id === undefined) await room.addKey(request.account_id)
      await room.forgetOldest(request.account_id, isUnderWay)
      return true
    },
    async keep(request, { status, headers, body }) {
      const text = JSON.stringify(headers)
      const kept = { account_id: request.account_id, body, more_bytes: text.length }
      await keepContent({ files, room }, kept, async (columns) => {
        const values = { ...request, status, headers: text, ...columns }
        return (await db.write((db) => idempotencyQueries(db).store.get(values))) !== undefined
      })
    },
    async forget(request) {
      await room.countKeys()
      await room.release(await db.write((db) => idempotencyQueries(db).deleteRequest.all({ ...request })))
    },
    isElsewhere: (row) =>
      row.gateway_id !== null && row.gateway_id !== gateway_id && isAlive(db, row.gateway_id),
    async isHeld(row) {
      // Unwritten holds first: they may be written while the rows are read.
      for (const { account_id, request_id } of unwritten())
        if (account_id === row.account_id && isPartOf(row.request_id, request_id)) return true
      return (await queries.pendingHold.get({ ...row })) !== undefined
    },
    callOf: (row) => callOf(db, row),
    write: (account_id, content, cap_bytes) =>
      writeContent({ files, room, limits }, account_id, content, cap_bytes),
    open: (row) => openContent(files, row),
    async sweep() {
      await room.countKeys()
      const values = { expired_by_ms: expired_by_ms() }
      await room.release(await db.write((db) => idempotencyQueries(db).deleteExpired.all(values)))
      const space = await room.space()
      for (const account_id of space.accounts()) await room.make(account_id)
    },
    followOthers: (isUnderWay) => releaseKeys(isUnderWay).then(room.renew),
    removeStrays: () => reconcile(db, files).then(room.recount),
  }
}

async function callOf(db: Db, row: Parameters<KeptAnswers['callOf']>[0]): ReturnType<KeptAnswers['callOf']> {
  const made = await idempotencyQueries(db).calls.all({ ...row })
  return made[0] && { ...made[0], cost_nanos: made.reduce((total, call) => total + call.cost_nanos, 0) }
}

/** Deletes the files of a folder that no row names, and counts the others. */
async function reconcile(db: Db, files: ContentFiles): Promise<void> {
  const rows = await idempotencyQueries(db).bodyFiles.all()
  const named = new Map(rows.map((row) => [row.body_file, row]))
  await removeStrays(files, new Set(named.keys()))
  // Versions that did not count the bytes of files never kept answers in a bucket.
  if (!files.folder) return
  for await (const { key, bytes } of files.list()) {
    const row = named.get(key)
    // Kept by a version that did not count the bytes of files.
    if (!row || row.kept_bytes >= bytes) continue
    const values = { id: row.id, kept_bytes: row.kept_bytes + bytes }
    await db.write((db) => idempotencyQueries(db).count.run(values))
  }
}
