// Owns the answers that are kept under their callers' Idempotency-Keys: rows, and files for the large ones.
import type { Database } from 'bun:sqlite'
import { randomUUID } from 'node:crypto'
import { and, eq, gt, lte, max } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/bun-sqlite'
import { type Call, calls, holds, type IdempotencyKey, idempotency_keys } from '../db/schema.ts'
import type { FileStore } from '../media/store.ts'

/** A request that carries a key. */
export interface KeyedRequest {
  account_id: number
  key: string
  /** Of its method, address and content. */
  request_sha256: Buffer
  request_id: string
}

/** What is sent again. The headers are those that the gateway had set. */
export interface KeptAnswer {
  status: number
  headers: [name: string, value: string][]
  body: KeptBody
}

/** Bytes in the row, or the key of a file. */
export type KeptBody = { bytes: Uint8Array } | { file: string }

export interface KeptAnswers {
  /** What is kept under the request's key; undefined where nothing is, or nothing younger than 24 hours. */
  find(asked: KeyedRequest): IdempotencyKey | undefined
  /** Takes the key for a request at once, in place of what was under it; that is on the disk before this returns. */
  begin(asked: KeyedRequest): Promise<void>
  /** Puts an answer under the key, if the request still has it. On the disk when this returns. */
  keep(asked: KeyedRequest, answer: KeptAnswer): void
  /** Frees the key, if the request still has it. */
  forget(asked: Pick<KeyedRequest, 'account_id' | 'key' | 'request_id'>): Promise<void>
  /** Whether money is held for the request that has a key. */
  isHeld(row: Pick<IdempotencyKey, 'account_id' | 'request_id'>): boolean
  /** The call that the request which has a key came to. */
  callOf(
    row: Pick<IdempotencyKey, 'account_id' | 'request_id' | 'after_hold_id'>,
  ): Pick<Call, 'outcome' | 'cost_nanos'> | undefined
  /** Writes a body that is too large for a row. @throws as `FileStore.put` */
  write(content: Uint8Array | AsyncIterable<Uint8Array>, cap_bytes: number): Promise<KeptBody>
  /** A kept body, to be sent; undefined where its file is gone. */
  open(row: Pick<IdempotencyKey, 'body' | 'body_file'>): Promise<Uint8Array | Blob | undefined>
  /** Deletes what is older than 24 hours. */
  sweep(): Promise<void>
  /** Deletes files that no row names. Only at start: it would take those that are being written, too. */
  removeStrays(): Promise<void>
}

/** silent.md, Images: kept 24 hours. */
export const KEPT_FOR_MS = 24 * 60 * 60 * 1000

/** Kept answers in a database, and in a folder of their own for the large ones. */
export function createKeptAnswers(db: Database, files: FileStore, now: () => number): KeptAnswers {
  const orm = drizzle({ client: db })
  const of = ({ account_id, key }: Pick<KeyedRequest, 'account_id' | 'key'>) =>
    and(eq(idempotency_keys.account_id, account_id), eq(idempotency_keys.key, key))
  const ofRequest = (asked: Pick<KeyedRequest, 'account_id' | 'key' | 'request_id'>) =>
    and(of(asked), eq(idempotency_keys.request_id, asked.request_id))
  const oldest = () => now() - KEPT_FOR_MS

  /** The row first: a file without a row is removed at the next start, a row without its file would promise an answer. */
  async function remove(rows: Pick<IdempotencyKey, 'body_file'>[]): Promise<void> {
    for (const { body_file } of rows) if (body_file !== null) await files.remove(body_file)
  }

  return {
    find: (asked) =>
      orm
        .select()
        .from(idempotency_keys)
        .where(and(of(asked), gt(idempotency_keys.created_at_ms, oldest())))
        .get(),
    async begin(asked) {
      const replaced = orm.transaction(
        (tx) => {
          const after_hold_id =
            tx
              .select({ id: max(holds.id) })
              .from(holds)
              .get()?.id ?? 0
          const before = tx.delete(idempotency_keys).where(of(asked)).returning().all()
          tx.insert(idempotency_keys)
            .values({ ...asked, after_hold_id, created_at_ms: now() })
            .run()
          return before
        },
        { behavior: 'immediate' },
      )
      await remove(replaced)
    },
    keep(asked, { status, headers, body }) {
      const kept = 'file' in body ? { body_file: body.file } : { body: Buffer.from(body.bytes) }
      orm
        .update(idempotency_keys)
        .set({ status, headers, ...kept })
        .where(ofRequest(asked))
        .run()
    },
    forget: (asked) => remove(orm.delete(idempotency_keys).where(ofRequest(asked)).returning().all()),
    isHeld: ({ account_id, request_id }) =>
      orm
        .select({ id: holds.id })
        .from(holds)
        .where(
          and(eq(holds.state, 'pending'), eq(holds.account_id, account_id), eq(holds.request_id, request_id)),
        )
        .get() !== undefined,
    callOf: ({ account_id, request_id, after_hold_id }) =>
      orm
        .select({ outcome: calls.outcome, cost_nanos: calls.cost_nanos })
        .from(calls)
        .where(
          and(
            eq(calls.account_id, account_id),
            gt(calls.id, after_hold_id),
            eq(calls.request_id, request_id),
          ),
        )
        .get(),
    async write(content, cap_bytes) {
      const file = randomUUID()
      await files.put(file, content, { cap_bytes })
      return { file }
    },
    async open({ body, body_file }) {
      return body_file === null ? (body ?? undefined) : await files.open(body_file)
    },
    sweep: () =>
      remove(
        orm.delete(idempotency_keys).where(lte(idempotency_keys.created_at_ms, oldest())).returning().all(),
      ),
    async removeStrays() {
      await files.removeLeftovers()
      const named = orm.select({ file: idempotency_keys.body_file }).from(idempotency_keys).all()
      const known = new Set(named.map(({ file }) => file))
      for (const { key } of await files.list()) if (!known.has(key)) await files.remove(key)
    },
  }
}
