// An upgrade over a history of a million calls: it is migrated while paid calls are served, and no sum changes.
import { Database } from 'bun:sqlite'
import { writeFileSync } from 'node:fs'
import { type Audit, audit } from '../../../src/money/ledger/audit.ts'
import { openDb } from '../../../src/store/engines/sqlite/sqlite.ts'
import { catalogueOf } from '../../support/catalogue.ts'
import { type GatewayProcess, startGatewayProcess } from '../../support/gateway-process.ts'
import { ask, wholePath } from '../../support/native.ts'
import { digestOf, makeOldCalls, OLD_KEY } from '../../support/old-calls.ts'
import { temporary } from '../../support/temporary.ts'
import type { Attack } from './attack.ts'
import { watchHealth } from './health.ts'

const CALLS = 1_000_000
const CALLERS = 4
const PAUSE_MS = 10
const AFTERWARDS_MS = 10_000
const MAX_HEALTHZ_MS = 100

export const oldHistory: Attack = {
  name: 'old-history',
  description: `an older version's ${CALLS} calls, migrated while others are paid`,
  long: true,
  async run({ rounds }) {
    const calls = Math.max(1_000, Math.round(CALLS * rounds))
    using folder = temporary()
    const path = folder.at('tollgate.db')
    writeFileSync(folder.at('tollgate.toml'), catalogueOf({ upstream_url: 'simulator' }))
    makeOldCalls(path, { calls, days: 80 })
    const before = reading(path, (db) => ({ digest: digestOf(db, calls), size: sizeOf(db) }))

    const began_ms = performance.now()
    await using gateway = await startGatewayProcess('', { ...folder, database_path: path, keys: [OLD_KEY] })
    const start_ms = performance.now() - began_ms
    const health = watchHealth(gateway.url)
    const during = payUntil(gateway, () => reading(path, isDone))
    const [paid, migrated_ms] = [await during, performance.now() - began_ms - start_ms]
    const healthz_ms = await health.stop()
    const done_ms = performance.now()
    const afterwards = await payUntil(gateway, () => performance.now() - done_ms > AFTERWARDS_MS)
    gateway.signal('SIGTERM')
    await gateway.ended

    const after = reading(path, (db) => ({ digest: digestOf(db, calls), size: sizeOf(db) }))
    const { clean } = await auditOf(path)
    const same = Bun.deepEquals(before.digest, after.digest)
    for (const [table, bytes] of before.size.tables)
      process.stderr.write(
        `${table.padEnd(22)} ${bytes.toFixed(1).padStart(7)} -> ${(after.size.tables.get(table) ?? 0).toFixed(1)} bytes a call\n`,
      )
    return {
      tried: `${calls} calls in ${(migrated_ms / 1_000).toFixed(0)} s, ${paid.length} paid meanwhile`,
      held: same && clean && healthz_ms < MAX_HEALTHZ_MS,
      figures:
        `calls, prices and sums ${same ? 'the same' : 'CHANGED'}, audit ${clean ? 'clean' : 'NOT clean'}; ` +
        `${perCall(before.size.used, calls)} -> ${perCall(after.size.used, calls + paid.length + afterwards.length)} bytes a call, ` +
        `${Math.round(after.size.free / 2 ** 20)} MB of ${Math.round(after.size.file / 2 ** 20)} free for new ones; start ${(start_ms / 1_000).toFixed(1)} s with its copy; ` +
        `paid calls p50 ${quantile(paid, 0.5)}, p99 ${quantile(paid, 0.99)}, at most ${quantile(paid, 1)} ms (afterwards ${quantile(afterwards, 0.5)}, ${quantile(afterwards, 0.99)}, ${quantile(afterwards, 1)}); ` +
        `healthz at most ${healthz_ms.toFixed(0)} ms`,
    }
  },
}

const isDone = (db: Database): boolean =>
  db.query(`SELECT 1 FROM call_rewrites WHERE name = 'prices' AND done_id < last_id`).get() === null

async function auditOf(path: string): Promise<Audit> {
  await using db = openDb(path, { readonly: true })
  return await audit(db)
}

function reading<T>(path: string, read: (db: Database) => T): T {
  const db = new Database(path, { readonly: true })
  try {
    return read(db)
  } finally {
    db.close()
  }
}

/** The sizes of the file, its free pages and the rest in bytes; of tables and indexes in bytes per call. */
function sizeOf(db: Database) {
  const number = (sql: string) => Number(Object.values(db.query(sql).get() as object)[0])
  const page = number('PRAGMA page_size')
  const file = number('PRAGMA page_count') * page
  const free = number('PRAGMA freelist_count') * page
  const calls = number('SELECT count(*) FROM calls')
  const tables = db
    .query<{ name: string; bytes: number }, []>(
      'SELECT name, sum(pgsize) AS bytes FROM dbstat GROUP BY name ORDER BY bytes DESC LIMIT 9',
    )
    .all()
  return {
    file,
    free,
    used: file - free,
    tables: new Map(tables.map(({ name, bytes }) => [name, bytes / calls])),
  }
}

const perCall = (bytes: number, calls: number): string => (bytes / calls).toFixed(0)

/** Makes paid calls again and again. @returns the sorted times of the calls in milliseconds */
async function payUntil(gateway: GatewayProcess, isOver: () => boolean): Promise<number[]> {
  const took_ms: number[] = []
  let over = false
  const pay = async () => {
    while (!over) {
      const sent_ms = performance.now()
      const answer = await fetch(new URL(wholePath(), gateway.url), {
        method: 'POST',
        headers: { 'x-goog-api-key': OLD_KEY, 'content-type': 'application/json' },
        body: JSON.stringify(ask()),
      })
      await answer.arrayBuffer()
      if (answer.status !== 200) throw new Error(`a paid call got ${answer.status}`)
      took_ms.push(performance.now() - sent_ms)
      await Bun.sleep(PAUSE_MS)
    }
  }
  const callers = Array.from({ length: CALLERS }, pay)
  // Polling the tables, since the gateway is another process.
  while (!isOver()) await Bun.sleep(200)
  over = true
  await Promise.all(callers)
  return took_ms.sort((one, other) => one - other)
}

const quantile = (sorted: readonly number[], q: number): string =>
  (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? 0).toFixed(1)
