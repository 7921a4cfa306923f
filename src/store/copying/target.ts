// The target of a copy of rows, and how its engine takes them.
import type { Awaitable, Db } from '../db.ts'
import type { CopiedTable } from './tables.ts'

export type Value = string | number | Uint8Array | null
export type Row = Readonly<Record<string, Value>>

/** A database that is made, or is empty. */
export interface CopyTarget {
  /**
   * All of what `work` does, or nothing. Its triggers rest meanwhile: rows come as they were made under those of their origin, and what
   * follows from a row comes as a row, too.
   *
   * @throws GatewayError conflict for one that has rows, what `work` throws, StorageFailure: all of it is undone then
   */
  fill<T>(work: (filling: Filling) => Promise<T>): Promise<T>
}

/** A target while it is filled. */
export interface Filling {
  readonly rows: Db['rows']
  /** A text as it is stored: some engines leave characters out. */
  storable(text: string): string
  /** @throws the engine's own error where it refuses one */
  insert(table: CopiedTable, rows: readonly Row[]): Awaitable<void>
  /** The next ids of a table come after this one, which is at least 1. */
  goOnAfter(table: CopiedTable, id: number): Awaitable<void>
}
