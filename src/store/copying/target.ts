// The target of a copy of rows, and how its engine receives them.
import type { Awaitable, Db } from '../db.ts'
import type { CopiedTable } from './tables.ts'

export type Value = string | number | Uint8Array | null
export type Row = Readonly<Record<string, Value>>

/** A new or empty database. */
export interface CopyTarget {
  /**
   * Runs `work` as a whole, or undoes it. Triggers are switched off during it: rows arrive as the triggers of their origin made them, and
   * the effects of a row arrive as rows, too.
   *
   * @throws GatewayError conflict if the database has rows; as `work`; StorageFailure: everything is undone then
   */
  fill<T>(work: (writer: CopyWriter) => Promise<T>): Promise<T>
}

/** A target that is being filled. */
export interface CopyWriter {
  readonly rows: Db['rows']
  /** Returns a text in the form that is stored: some engines cannot store all characters. */
  storable(text: string): string
  /** @throws the engine's error if it refuses a row */
  insert(table: CopiedTable, rows: readonly Row[]): Awaitable<void>
  /** Makes the next ids of a table greater than this one, which is at least 1. */
  goOnAfter(table: CopiedTable, id: number): Awaitable<void>
}
