// silent.md, Images: "same key and body replays the stored answer, one charge", even if the process dies during the first request.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAccount } from '../../src/access/accounts.ts'
import { createKey } from '../../src/access/keys.ts'
import { parseUsd } from '../../src/domain/money.ts'
import { createWriter } from '../../src/money/ledger/writer.ts'
import { openDatabase } from '../../src/store/engines/sqlite/open.ts'
import { dbOver } from '../../src/store/engines/sqlite/sqlite.ts'
import { startServer } from '../crash/process.ts'
import { catalogueOf } from '../support/catalogue.ts'
import { ask, streamPath, wholePath } from '../support/native.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'
import { answering } from './support.ts'

let folder: string
let upstream: Upstream
let key: string

beforeAll(async () => {
  upstream = await startUpstream(answering())
  folder = await mkdtemp(join(tmpdir(), 'tollgate-idempotency-'))
  await Bun.write(
    join(folder, 'tollgate.toml'),
    catalogueOf({ upstream_url: upstream.url, server: 'listen = "127.0.0.1:0"' }),
  )
  const connection = openDatabase(join(folder, 'tollgate.db'))
  const db = dbOver(connection)
  const { id } = await createAccount(db, { name: 'caller', now_ms: 0 })
  const settings = { models: null, spend_limit_nanos: null, addresses: null, expires_at_ms: null }
  const randomBytes = (length: number) => crypto.getRandomValues(new Uint8Array(length))
  key = (await createKey(db, 'caller', { name: 'key', ...settings }, { randomBytes, now_ms: 0 })).text
  createWriter(connection).commit([
    { op: 'top_up', account_id: id, amount_nanos: parseUsd('100'), note: '', now_ms: 0 },
  ])
  await db.close()
})
afterAll(async () => {
  await upstream[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

/** Points at which the process dies, and the status of the same request after the restart: served anew, or refused as charged. */
const DEATHS: [point: string, path: string, status: number][] = [
  ['held', wholePath(), 200],
  ['dispatched', wholePath(), 200],
  ['settling', wholePath(), 200],
  ['settled', wholePath(), 409],
  ['held', streamPath(), 200],
  ['settling', streamPath(), 200],
  ['settled', streamPath(), 409],
]

const charges = (): number => {
  const db = openDatabase(join(folder, 'tollgate.db'))
  const { n } = db
    .query<{ n: number }, []>("SELECT count(*) AS n FROM entries WHERE kind = 'charge'")
    .get() ?? { n: 0 }
  db.close()
  return n
}

test.each(DEATHS)('after a kill at "%s" %s gets %i and one charge', async (point, path, status) => {
  const before = charges()
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    'idempotency-key': crypto.randomUUID(),
  }
  const call = async (url: string | undefined) => {
    const response = await fetch(new URL(path, url), { method: 'POST', headers, body: JSON.stringify(ask()) })
    return {
      status: response.status,
      replayed: response.headers.get('idempotent-replayed'),
      body: await response.text(),
    }
  }
  const dying = await startServer(folder, point, 1)
  // The process dies before it answers or during it: either way the call is over.
  await call(dying.url).catch(() => undefined)
  await dying.child.exited
  expect(dying.child.signalCode).toBe('SIGKILL')

  const server = await startServer(folder, 'none', 1)
  const second = await call(server.url)
  const third = await call(server.url)
  server.child.kill('SIGTERM')
  await server.child.exited
  expect(second).toMatchObject({ status, replayed: null })
  expect(third).toEqual(status === 200 ? { ...second, replayed: 'true' } : second)
  if (status === 409) expect(second.body).toContain('was charged')
  expect(charges()).toBe(before + 1)
})
