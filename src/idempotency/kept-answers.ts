// The answers kept under Idempotency-Keys: database rows, with the large bodies in files.
import type { Database } from 'bun:sqlite'
import { untilFree } from '../db/busy.ts'
import type { Call, IdempotencyKey } from '../db/schema.ts'
import { immediately } from '../db/transaction.ts'
import { payloadTooLarge } from '../domain/errors.ts'
import { idempotencyQueries } from './queries.ts'
import { createRoom, type KeyOfAccount, type Room, type Spacious } from './room.ts'
import type { KeepLimits } from './space.ts'

/** A request that carries a key. */
export interface KeyedRequest {
  account_id: number
  key: string
  /** Of its method, address and content. */
  request_sha256: Buffer
  request_id: string
}

/** What is sent again. The headers are those that the gateway set. */
export interface KeptAnswer {
  status: number
  headers: [name: string, value: string][]
  body: KeptBody
}

/** Bytes in the row, or the key of a file, whose bytes count as being written until the answer is kept. */
export type KeptBody = { bytes: Uint8Array } | { file: string; size_bytes: number }

/** The files of large bodies, as far as they are used here. A file under its key is complete and safe from power loss. */
export interface AnswerFiles {
  /** Nothing is left of a write that fails. @throws what the disk throws; GatewayError payload_too_large over the cap */
  put(
    key: string,
    content: Uint8Array | AsyncIterable<Uint8Array>,
    options: { cap_bytes: number },
  ): Promise<unknown>
  /** Undefined where there is no such file. */
  open(key: string): Promise<Blob | undefined>
  remove(key: string): Promise<unknown>
  list(): Promise<readonly { key: string; bytes: number }[]>
  /** Deletes what interrupted writes left. Only at start: it would delete writes in progress, too. */
  removeLeftovers(): Promise<void>
}

export interface KeptAnswers {
  /** The row of the request's key; undefined where there is none, or none younger than 24 hours. */
  find(request: KeyedRequest): IdempotencyKey | undefined
  /**
   * Takes the key for a request, in place of an earlier one. On the disk before this returns. An account over its number
   * of keys forgets its oldest.
   *
   * @param isUnderWay whether the request of a key is being served: that key is not forgotten
   */
  begin(request: KeyedRequest, isUnderWay: (row: KeyOfAccount) => boolean): Promise<void>
  /**
   * Puts an answer under the key, if the request still has it. On the disk when this returns. Older answers are given up
   * for it: first the account's own; over the common bound those of the account that keeps most.
   *
   * @throws GatewayError payload_too_large where there is no room even so; what the disk throws. No file is left then
   */
  keep(request: KeyedRequest, answer: KeptAnswer): Promise<void>
  /** Frees the key, if the request still has it. */
  forget(request: Pick<KeyedRequest, 'account_id' | 'key' | 'request_id'>): Promise<void>
  /** Whether money is held for the request that has a key. */
  isHeld(row: Pick<IdempotencyKey, 'account_id' | 'request_id'>): boolean
  /** The recorded call of the request that has a key. */
  callOf(
    row: Pick<IdempotencyKey, 'account_id' | 'request_id' | 'after_hold_id'>,
  ): Pick<Call, 'outcome' | 'cost_nanos'> | undefined
  /**
   * Writes a body that is too large for a row, and makes room for it as it comes, as `keep` does.
   *
   * @throws as `AnswerFiles.put`, and GatewayError payload_too_large where there is no room
   */
  write(
    account_id: number,
    content: Uint8Array | AsyncIterable<Uint8Array>,
    cap_bytes: number,
  ): Promise<KeptBody>
  /** A kept body, to be sent; undefined where its file is gone. */
  open(row: Pick<IdempotencyKey, 'body' | 'body_file'>): Promise<Uint8Array | Blob | undefined>
  /** Deletes what is older than 24 hours, and what is over bounds that were lowered. */
  sweep(): Promise<void>
  /** Deletes files that no row names, and counts the others. Only at start: it would delete what is being written, too. */
  removeStrays(): Promise<void>
}

/** silent.md, Images: kept 24 hours. */
export const KEPT_FOR_MS = 24 * 60 * 60 * 1000

/** Kept answers in a database, and in a folder of their own for the large bodies. */
export function createKeptAnswers(
  db: Database,
  files: AnswerFiles,
  { now, limits }: { now: () => number; limits: () => KeepLimits },
): KeptAnswers {
  const queries = idempotencyQueries(db)
  const expired_by_ms = () => now() - KEPT_FOR_MS
  const room = createRoom(db, files, limits)
  const { space } = room

  /** @returns the row that the request replaces, if any */
  function take(request: KeyedRequest): Spacious[] {
    return immediately(db, () => {
      const after_hold_id = queries.newestHold.get()?.id ?? 0
      const replaced = queries.deleteKey.all({ ...request })
      queries.insert.run({ ...request, after_hold_id, created_at_ms: now() })
      return replaced
    })
  }

  return {
    find: (request) => queries.find.get({ ...request, expired_by_ms: expired_by_ms() }),
    async begin(request, isUnderWay) {
      space()
      const replaced = await untilFree(() => take(request))
      space().addKeys(request.account_id, 1)
      await room.release(replaced)
      await room.forgetOldest(request.account_id, isUnderWay)
    },
    async keep(request, answer) {
      let stored = false
      try {
        stored = await store(db, room, request, answer)
      } finally {
        if (!stored && 'file' in answer.body) await files.remove(answer.body.file)
      }
    },
    async forget(request) {
      space()
      await room.release(await untilFree(() => queries.deleteRequest.all({ ...request })))
    },
    isHeld: (row) => queries.pendingHold.get({ ...row }) !== undefined,
    callOf: (row) => queries.call.get({ ...row }),
    write: (account_id, content, cap_bytes) => write({ files, room, limits }, account_id, content, cap_bytes),
    async open({ body, body_file }) {
      return body_file === null ? (body ?? undefined) : await files.open(body_file)
    },
    async sweep() {
      space()
      await room.release(await untilFree(() => queries.deleteExpired.all({ expired_by_ms: expired_by_ms() })))
      for (const account_id of space().accounts()) await room.make(account_id)
    },
    async removeStrays() {
      await files.removeLeftovers()
      const named = new Map(queries.bodyFiles.all().map((row) => [row.body_file, row]))
      for (const { key, bytes } of await files.list()) {
        const row = named.get(key)
        if (!row) await files.remove(key)
        // Kept by a version that did not count the bytes of files.
        else if (row.kept_bytes < bytes) queries.count.run({ id: row.id, kept_bytes: row.kept_bytes + bytes })
      }
      room.recount()
    },
  }
}

/** Puts an answer into its row, and counts it. @returns whether the request still has its key */
async function store(
  db: Database,
  room: Room,
  request: KeyedRequest,
  { status, headers, body }: KeptAnswer,
): Promise<boolean> {
  const { account_id } = request
  const text = JSON.stringify(headers)
  const in_file = 'file' in body
  const size_bytes = in_file ? body.size_bytes : body.bytes.length
  const kept_bytes = text.length + size_bytes
  room.space().write(account_id, kept_bytes - (in_file ? size_bytes : 0))
  try {
    if (!(await room.make(account_id))) throw noRoom()
    const kept = in_file
      ? { body: null, body_file: body.file }
      : { body: Buffer.from(body.bytes), body_file: null }
    const values = { ...request, status, headers: text, ...kept, kept_bytes }
    const stored = await untilFree(() => idempotencyQueries(db).store.get(values))
    if (stored) room.space().keep(account_id, kept_bytes)
    return stored !== undefined
  } finally {
    room.space().write(account_id, -kept_bytes)
  }
}

interface Writing {
  files: AnswerFiles
  room: Room
  limits: () => KeepLimits
}

/** Writes a file, and makes room for each of its chunks before it is written. */
async function write(
  { files, room, limits }: Writing,
  account_id: number,
  content: Uint8Array | AsyncIterable<Uint8Array>,
  cap_bytes: number,
): Promise<KeptBody> {
  const file = crypto.randomUUID()
  let size_bytes = 0
  async function* claimed() {
    for await (const chunk of content instanceof Uint8Array ? [content] : content) {
      // Otherwise older answers would be given up for one that cannot be kept.
      if (size_bytes + chunk.length > Math.min(cap_bytes, limits().kept_bytes_per_account)) throw noRoom()
      size_bytes += chunk.length
      room.space().write(account_id, chunk.length)
      if (!(await room.make(account_id))) throw noRoom()
      yield chunk
    }
  }
  try {
    await files.put(file, claimed(), { cap_bytes })
  } catch (failure) {
    room.space().write(account_id, -size_bytes)
    throw failure
  }
  return { file, size_bytes }
}

const noRoom = () => payloadTooLarge('The answer is larger than what may be kept of it.')
