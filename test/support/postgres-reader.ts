// A worker of `blocking.ts`: carries out statements on PostgreSQL, one after the other, while its owner waits.
import { Connection } from '../../src/store/engines/postgres/connection.ts'
import { textOf } from '../../src/store/engines/postgres/texts.ts'

declare const self: Worker

export interface Query {
  url: string
  text: string
  values: readonly unknown[]
  /** [0] becomes 1 once the answer is in `bytes`, whose length is in [1]. */
  state: Int32Array
  bytes: Uint8Array
}

export type QueryResult = { columns: string[]; rows: unknown[][] } | { failure: string }

let opened: Promise<Connection> | undefined

self.onmessage = async ({ data }: MessageEvent<Query>) => {
  const { state, bytes } = data
  const { written } = new TextEncoder().encodeInto(JSON.stringify(await answer(data), asJson), bytes)
  state[1] = written
  Atomics.store(state, 0, 1)
  Atomics.notify(state, 0)
}

async function answer({ url, text, values }: Query): Promise<QueryResult> {
  try {
    // Locks are not waited for: the waiting thread may hold one, and cannot release it meanwhile.
    opened ??= Connection.open(url, { lock_timeout: '2s' })
    const { columns, rows } = await (await opened).ask(textOf(text), values)
    return { columns: columns.map(({ name }) => name), rows }
  } catch (thrown) {
    return { failure: String(thrown) }
  }
}

const asJson = (_: string, value: unknown): unknown =>
  value instanceof Uint8Array ? { bytes: Buffer.from(value).toString('base64') } : value
