// silent.md, Images: "same key and body replays the stored answer, one charge", even if the process dies during the first request.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createAccount } from '../../src/access/accounts.ts'
import { createKey } from '../../src/access/keys.ts'
import { parseUsd } from '../../src/domain/money.ts'
import { createWriter } from '../../src/money/ledger/writer.ts'
import { openDatabase } from '../../src/store/engines/sqlite/open.ts'
import { dbOver } from '../../src/store/engines/sqlite/sqlite.ts'
import { type ServerProcess, startServer } from '../crash/process.ts'
import { catalogueOf } from '../support/catalogue.ts'
import { eventually } from '../support/eventually.ts'
import { ask, streamPath, wholePath } from '../support/native.ts'
import { folderOfFile } from '../support/test-folder.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'
import { answering } from './support.ts'

const folder = folderOfFile()
let upstream: Upstream
/** The key of an account for each death. */
const keys: string[] = []
/** Serves after all deaths. */
let server: ServerProcess

beforeAll(async () => {
  upstream = await startUpstream(answering())
  await Bun.write(
    folder.at('tollgate.toml'),
    catalogueOf({ upstream_url: upstream.url, server: 'listen = "127.0.0.1:0"' }),
  )
  const connection = openDatabase(folder.at('tollgate.db'))
  const db = dbOver(connection)
  const randomBytes = (length: number) => crypto.getRandomValues(new Uint8Array(length))
  for (const [at] of DEATHS.entries()) {
    const name = `caller-${at}`
    const { id } = await createAccount(db, { name, now_ms: 0 })
    keys.push((await createKey(db, name, { name: 'key' }, { randomBytes, now_ms: 0 })).text)
    createWriter(connection).commit([
      { op: 'top_up', account_id: id, amount_nanos: parseUsd('100'), note: '', now_ms: 0 },
    ])
  }
  await db.close()
  for (const [at, [point, path]] of DEATHS.entries()) {
    const dying = await startServer(folder.path, point, 1)
    // The process dies before it answers or during it: either way the call is over.
    await call(dying, at, path).catch(() => undefined)
    await dying.child.exited
    expect(dying.child.signalCode).toBe('SIGKILL')
  }
  server = await startServer(folder.path, 'none', 1)
})
afterAll(async () => {
  server.child.kill('SIGKILL')
  await server.child.exited
  await upstream[Symbol.asyncDispose]()
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

async function call({ url }: ServerProcess, death: number, path: string) {
  const headers = {
    authorization: `Bearer ${keys[death]}`,
    'content-type': 'application/json',
    'idempotency-key': 'once',
  }
  const response = await fetch(new URL(path, url), { method: 'POST', headers, body: JSON.stringify(ask()) })
  const replayed = response.headers.get('idempotent-replayed')
  return { status: response.status, replayed, body: await response.text() }
}

const chargesOf = (account_id: number): number => {
  using db = openDatabase(folder.at('tollgate.db'), { readonly: true })
  return db.query("SELECT 1 FROM entries WHERE kind = 'charge' AND account_id = ?").all(account_id).length
}

test.each(DEATHS.map((death, at) => [...death, at] as const))(
  'after a kill at "%s" %s gets %i and one charge',
  async (_, path, status, at) => {
    const second = await call(server, at, path)
    const third = await call(server, at, path)
    expect(second).toMatchObject({ status, replayed: null })
    expect(third).toEqual(status === 200 ? { ...second, replayed: 'true' } : second)
    if (status === 409) expect(second.body).toContain('was charged')
    await eventually('the charge is there', () => chargesOf(at + 1) > 0)
    expect(chargesOf(at + 1)).toBe(1)
  },
)
