// The answers kept under Idempotency-Keys: database rows, with the large bodies in files.
import type { Database } from 'bun:sqlite'
import { untilFree } from '../db/busy.ts'
import type { Call, IdempotencyKey } from '../db/schema.ts'
import { immediately } from '../db/transaction.ts'
import { idempotencyQueries } from './queries.ts'

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

/** Bytes in the row, or the key of a file. */
export type KeptBody = { bytes: Uint8Array } | { file: string }

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
  list(): Promise<readonly { key: string }[]>
  /** Deletes what interrupted writes left. Only at start: it would delete writes in progress, too. */
  removeLeftovers(): Promise<void>
}

export interface KeptAnswers {
  /** The row of the request's key; undefined where there is none, or none younger than 24 hours. */
  find(request: KeyedRequest): IdempotencyKey | undefined
  /** Takes the key for a request, in place of an earlier one. On the disk before this returns. */
  begin(request: KeyedRequest): Promise<void>
  /** Puts an answer under the key, if the request still has it. On the disk when this resolves. */
  keep(request: KeyedRequest, answer: KeptAnswer): Promise<void>
  /** Frees the key, if the request still has it. */
  forget(request: Pick<KeyedRequest, 'account_id' | 'key' | 'request_id'>): Promise<void>
  /** Whether money is held for the request that has a key. */
  isHeld(row: Pick<IdempotencyKey, 'account_id' | 'request_id'>): boolean
  /** The recorded call of the request that has a key. */
  callOf(
    row: Pick<IdempotencyKey, 'account_id' | 'request_id' | 'after_hold_id'>,
  ): Pick<Call, 'outcome' | 'cost_nanos'> | undefined
  /** Writes a body that is too large for a row. @throws as `AnswerFiles.put` */
  write(content: Uint8Array | AsyncIterable<Uint8Array>, cap_bytes: number): Promise<KeptBody>
  /** A kept body, to be sent; undefined where its file is gone. */
  open(row: Pick<IdempotencyKey, 'body' | 'body_file'>): Promise<Uint8Array | Blob | undefined>
  /** Deletes what is older than 24 hours. */
  sweep(): Promise<void>
  /** Deletes files that no row names. Only at start: it would delete files that are being written, too. */
  removeStrays(): Promise<void>
}

/** silent.md, Images: kept 24 hours. */
export const KEPT_FOR_MS = 24 * 60 * 60 * 1000

/** Kept answers in a database, and in a folder of their own for the large bodies. */
export function createKeptAnswers(db: Database, files: AnswerFiles, now: () => number): KeptAnswers {
  const queries = idempotencyQueries(db)
  const expired_by_ms = () => now() - KEPT_FOR_MS

  /** Rows are deleted before their files: a file without a row is removed at the next start, a row needs its file. */
  async function removeFiles(rows: Pick<IdempotencyKey, 'body_file'>[]): Promise<void> {
    for (const { body_file } of rows) if (body_file !== null) await files.remove(body_file)
  }

  /** @returns the row that the request replaces, if any */
  function take(request: KeyedRequest) {
    return immediately(db, () => {
      const after_hold_id = queries.newestHold.get()?.id ?? 0
      const replaced = queries.deleteKey.all({ ...request })
      queries.insert.run({ ...request, after_hold_id, created_at_ms: now() })
      return replaced
    })
  }

  return {
    find: (request) => queries.find.get({ ...request, expired_by_ms: expired_by_ms() }),
    begin: async (request) => removeFiles(await untilFree(() => take(request))),
    async keep(request, { status, headers, body }) {
      const kept =
        'file' in body
          ? { body: null, body_file: body.file }
          : { body: Buffer.from(body.bytes), body_file: null }
      await untilFree(() =>
        queries.store.run({ ...request, status, headers: JSON.stringify(headers), ...kept }),
      )
    },
    forget: async (request) => removeFiles(await untilFree(() => queries.deleteRequest.all({ ...request }))),
    isHeld: (row) => queries.pendingHold.get({ ...row }) !== undefined,
    callOf: (row) => queries.call.get({ ...row }),
    async write(content, cap_bytes) {
      const file = crypto.randomUUID()
      await files.put(file, content, { cap_bytes })
      return { file }
    },
    async open({ body, body_file }) {
      return body_file === null ? (body ?? undefined) : await files.open(body_file)
    },
    sweep: async () =>
      removeFiles(await untilFree(() => queries.deleteExpired.all({ expired_by_ms: expired_by_ms() }))),
    async removeStrays() {
      await files.removeLeftovers()
      const named = new Set(queries.bodyFiles.all().map(({ body_file }) => body_file))
      for (const { key } of await files.list()) if (!named.has(key)) await files.remove(key)
    },
  }
}
