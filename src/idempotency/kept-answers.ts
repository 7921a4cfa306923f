// The answers kept under Idempotency-Keys: database rows, with the large bodies in files; and the keys of gateways that ended.
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

/** A row that was being written when others were read is found the next time. */
const SEEN_LATE_MS = 600_000

/** @returns disowns the gateway's keys without an answer, but those whose request is being served */
function createDisowning(
  db: Db,
  { now, gateway_id }: { now: () => number; gateway_id: number },
): (isUnderWay: (row: KeyOfAccount) => boolean) => Promise<void> {
  /** Requests that were taken before are answered, or no gateway's any more. */
  let since_ms = now() - SEEN_LATE_MS
  return async (isUnderWay) => {
    const read_at_ms = now()
    const unanswered = await idempotencyQueries(db).unanswered.all({ gateway_id, since_ms })
    const under_way = unanswered.filter(isUnderWay)
    // A call that came under way since then is another row, of another number.
    const left = unanswered.filter((row) => !under_way.includes(row)).map(({ id }) => id)
    if (left.length > 0)
      await db.write((db) => idempotencyQueries(db).disown.run({ ids: JSON.stringify(left) }))
    const oldest_ms = under_way.map(({ created_at_ms }) => created_at_ms - 1)
    since_ms = Math.min(read_at_ms - SEEN_LATE_MS, ...oldest_ms)
  }
}

/** A request that carries a key. */
export interface KeyedRequest {
  account_id: number
  key: string
  /** Of its method, address and content. */
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
  /** The row of the request's key; undefined if not found, or older than 24 hours. */
  find(request: Pick<KeyedRequest, 'account_id' | 'key'>): Awaitable<IdempotencyKey | undefined>
  /**
   * Takes the key for a request: a free one, or in place of the request that was seen to have it and to need it no longer.
   * On the disk before this returns. An account over its number of keys forgets its oldest.
   * @param seen the id of that request; undefined where `find` found none
   * @param isUnderWay whether the request of a key is being served: that key is not forgotten
   * @returns false if another request has taken it since, or an answer was kept under it
   */
  begin(
    request: KeyedRequest,
    seen: string | undefined,
    isUnderWay: (row: KeyOfAccount) => boolean,
  ): Promise<boolean>
  /**
   * Puts an answer under the key, if the request still has it. On the disk when this returns. Older answers are given up
   * for it: first the account's own; over the common bound those of the account that keeps most.
   * @throws GatewayError payload_too_large if there is no room even so; what the disk throws. No file is left then
   */
  keep(request: KeyedRequest, answer: KeptAnswer): Promise<void>
  /** Frees the key, if the request still has it. */
  forget(request: Pick<KeyedRequest, 'account_id' | 'key' | 'request_id'>): Promise<void>
  /** Whether a request is another gateway's, which is alive: it alone knows what becomes of it. */
  isElsewhere(row: Pick<IdempotencyKey, 'gateway_id'>): Awaitable<boolean>
  /** Whether money is held for the request that has a key. */
  isHeld(row: Pick<IdempotencyKey, 'account_id' | 'request_id'>): Promise<boolean>
  /** The first recorded call of the request that has a key, and what all of them cost. */
  callOf(
    row: Pick<IdempotencyKey, 'account_id' | 'request_id' | 'after_hold_id'>,
  ): Promise<Pick<Call, 'outcome' | 'cost_nanos'> | undefined>
  /**
   * Writes a body that is too large for a row, and makes room for it as it comes, as `keep` does.
   * @throws as `AnswerFiles.put`, and GatewayError payload_too_large if there is no room
   */
  write(
    account_id: number,
    content: Uint8Array | AsyncIterable<Uint8Array>,
    cap_bytes: number,
  ): Promise<KeptBody>
  /** A kept body, to be sent; undefined if its file is gone. */
  open(row: Pick<IdempotencyKey, 'body' | 'body_file'>): Promise<Uint8Array | StoredBytes | undefined>
  /** Deletes what is older than 24 hours, and what is over bounds that were lowered. */
  sweep(): Promise<void>
  /**
   * For gateways that share the database: gives up the keys of its own requests that ended without an answer, so that any gateway may judge
   * what became of them; and counts anew what all keep.
   * @param isUnderWay whether the request of a key is being served
   */
  followOthers(isUnderWay: (row: KeyOfAccount) => boolean): Promise<void>
  /** Deletes files that no row names, and counts the others. Only at start, by the one gateway of the folder: it would delete what is being written, too. */
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

/** As `isOfRequest` of the queries. */
const isPartOf = (request_id: string, id: string): boolean =>
  id === request_id || id.startsWith(`${request_id}-`)

/** Kept answers in a database, and in a folder of their own for the large bodies. */
export function createKeptAnswers(
  db: Db,
  files: ContentFiles,
  { now, limits, gateway_id, unwritten = () => [] }: KeptAnswersOptions,
): KeptAnswers {
  const queries = idempotencyQueries(db)
  const expired_by_ms = () => now() - KEPT_FOR_MS
  const room = createAnswerRoom(db, files, { limits, gateway_id })
  const disown = createDisowning(db, { now, gateway_id })

  async function take(request: KeyedRequest, seen: string | undefined): Promise<boolean> {
    const values = { ...request, seen: seen ?? null, created_at_ms: now(), gateway_id }
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
    async begin(request, seen, isUnderWay) {
      await room.countKeys()
      const is_taken =
        (await take(request, seen)) || ((await forgetExpired(request)) && (await take(request, seen)))
      if (!is_taken) return false
      if (seen === undefined) await room.addKey(request.account_id)
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
      // First what is not written: by the time that the rows were read it might be.
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
    followOthers: (isUnderWay) => disown(isUnderWay).then(room.renew),
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
  // An answer in a bucket was never kept by such a version.
  if (!files.folder) return
  for await (const { key, bytes } of files.list()) {
    const row = named.get(key)
    // Kept by a version that did not count the bytes of files.
    if (!row || row.kept_bytes >= bytes) continue
    const values = { id: row.id, kept_bytes: row.kept_bytes + bytes }
    await db.write((db) => idempotencyQueries(db).count.run(values))
  }
}
