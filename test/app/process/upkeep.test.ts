// The upkeep of stored calls in a running gateway: it migrates the history of an older version beside paid calls, and survives a kill.
import { Database } from 'bun:sqlite'
import { expect, setDefaultTimeout, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { audit } from '../../../src/money/ledger/audit.ts'
import { openDatabase } from '../../../src/store/engines/sqlite/open.ts'
import { dbOver } from '../../../src/store/engines/sqlite/sqlite.ts'
import { catalogueOf } from '../../support/catalogue.ts'
import { eventually } from '../../support/eventually.ts'
import { type GatewayProcess, startGatewayProcess } from '../../support/gateway-process.ts'
import { ask, wholePath } from '../../support/native.ts'
import { digestOf, makeOldCalls, OLD_KEY } from '../../support/old-calls.ts'
import { temporary } from '../../support/temporary.ts'

setDefaultTimeout(60_000)

function oldFolder(calls: number, more = '') {
  const folder = temporary()
  const database_path = folder.at('tollgate.db')
  writeFileSync(folder.at('tollgate.toml'), catalogueOf({ upstream_url: 'simulator', more }))
  makeOldCalls(database_path, { calls, days: 10 })
  return { ...folder, database_path, keys: [OLD_KEY] }
}

function reading<T>(path: string, read: (db: Database) => T): T {
  const db = new Database(path, { readonly: true })
  try {
    return read(db)
  } finally {
    db.close()
  }
}

const count = (path: string, condition: string): number =>
  reading(path, (db) =>
    Number(db.query<{ n: number }, []>(`SELECT count(*) AS n FROM calls WHERE ${condition}`).get()?.n),
  )
const IN_OLD_FORM = "price <> ''"

async function pay(gateway: GatewayProcess): Promise<void> {
  const answer = await fetch(new URL(wholePath(), gateway.url), {
    method: 'POST',
    headers: { 'x-goog-api-key': OLD_KEY, 'content-type': 'application/json' },
    body: JSON.stringify(ask()),
  })
  expect([answer.status, typeof (await answer.text())]).toEqual([200, 'string'])
}

test('a gateway moves prices of an older version beside paid calls, and after a kill continues at its next start', async () => {
  const CALLS = 6_000
  const folder = oldFolder(CALLS)
  const { database_path } = folder
  const before = reading(database_path, (db) => digestOf(db, CALLS))
  const left = count(database_path, IN_OLD_FORM)

  const killed = await startGatewayProcess('', folder)
  await pay(killed)
  await eventually('the upkeep has begun', () => count(database_path, IN_OLD_FORM) < left)
  killed.signal('SIGKILL')
  await killed.ended
  const still_left = count(database_path, IN_OLD_FORM)
  expect(still_left).toBeGreaterThan(0)
  expect(reading(database_path, (db) => digestOf(db, CALLS))).toEqual(before)

  await using gateway = await startGatewayProcess('', folder)
  await eventually('all are moved', async () => {
    await pay(gateway)
    return count(database_path, IN_OLD_FORM) === 0
  })
  gateway.signal('SIGTERM')
  expect(await gateway.ended).toBe(0)
  const db = openDatabase(database_path, { readonly: true })
  expect(digestOf(db, CALLS)).toEqual(before)
  expect((await audit(dbOver(db))).findings).toEqual([])
  db.close()
})

test('the upkeep empties traces after [retention] traces days, not earlier', async () => {
  const folder = oldFolder(1_000, '[retention]\ntraces = 4')
  await using gateway = await startGatewayProcess('', folder)
  await pay(gateway)
  const { database_path } = folder
  // A hundred calls a day, of ten days.
  await eventually('the old traces are emptied', () => count(database_path, "trace = ''") >= 590)
  gateway.signal('SIGTERM')
  await gateway.ended
  const four_days_ago = Date.now() - 4 * 86_400_000
  expect(count(database_path, `trace = '' AND started_at_ms >= ${four_days_ago}`)).toBe(0)
  expect(count(database_path, `trace <> '' AND id <= 1000`)).toBeGreaterThan(390)
})
