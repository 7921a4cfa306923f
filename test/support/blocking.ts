// A PostgreSQL database with a synchronous interface, as SQLite has, for tests that read rows between two steps.
import type { Database } from 'bun:sqlite'
import type { Query, QueryResult } from './postgres-reader.ts'

const MAX_ANSWER_BYTES = 16 * 1024 * 1024
const MAX_WAIT_MS = 10_000

type Row = Record<string, unknown>
type Bound = readonly unknown[]

/** The part of SQLite's connection that tests use. A worker queries the server while this thread waits. */
export function blockingDatabase(url: string): Database {
  const worker = new Worker(new URL('./postgres-reader.ts', import.meta.url).href)
  worker.unref()
  const shared = new SharedArrayBuffer(MAX_ANSWER_BYTES)
  const state = new Int32Array(new SharedArrayBuffer(8))

  const ask = (text: string, bound: Bound): { rows: Row[] } => {
    state[0] = 0
    const { statement, values } = positional(text, bound)
    worker.postMessage({
      url,
      text: statement,
      values,
      state,
      bytes: new Uint8Array(shared),
    } satisfies Query)
    if (Atomics.wait(state, 0, 0, MAX_WAIT_MS) === 'timed-out') throw new Error(`no answer to ${text}`)
    const answer = JSON.parse(
      Buffer.from(new Uint8Array(shared, 0, state[1])).toString(),
      revive,
    ) as QueryResult
    if ('failure' in answer) throw new Error(`${answer.failure}: ${statement}`)
    const { columns, rows } = answer
    return { rows: rows.map((row) => Object.fromEntries(columns.map((name, at) => [name, row[at]]))) }
  }
  const query = (text: string) => ({
    all: (...bound: Bound) => ask(text, bound).rows,
    get: (...bound: Bound) => ask(text, bound).rows[0] ?? null,
    values: (...bound: Bound) => ask(text, bound).rows.map((row) => Object.values(row)),
    run: (...bound: Bound) => void ask(text, bound),
  })
  return {
    query,
    prepare: query,
    run: (text: string, bound: Bound = []) => void ask(text, Array.isArray(bound) ? bound : [bound]),
    close: () => void worker.terminate(),
  } as unknown as Database
}

/** Replaces values by `$name` with positional ones. */
function positional(text: string, bound: Bound): { statement: string; values: Bound } {
  const [named] = bound
  if (typeof named !== 'object' || named === null || named instanceof Uint8Array)
    return { statement: text, values: bound }
  const values: unknown[] = []
  const statement = text.replace(/\$([a-z_]\w*)/g, (_, name: string) => {
    values.push(Reflect.get(named, name) ?? Reflect.get(named, `$${name}`) ?? null)
    return '?'
  })
  return { statement, values }
}

const revive = (_: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && 'bytes' in value && typeof value.bytes === 'string'
    ? Buffer.from(value.bytes, 'base64')
    : value
