// A database moved away from a running gateway: nothing more is written into its files, and nothing is lost.
import { expect, setDefaultTimeout, test } from 'bun:test'
import { copyFileSync, existsSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { openDatabase } from '../../../src/store/engines/sqlite/open.ts'
import { catalogueOf } from '../../support/catalogue.ts'
import { prepareDataFolder } from '../../support/data-folder.ts'
import { eventually } from '../../support/eventually.ts'
import { type GatewayProcess, startGatewayProcess } from '../../support/gateway-process.ts'
import { ANSWER_NANOS, answer, ask, piece, streamPath, usage, wholePath } from '../../support/native.ts'
import { startUpstream, stream, whole } from '../../support/upstream.ts'

setDefaultTimeout(60_000)

const call = ({ url, key }: GatewayProcess, path = wholePath()) =>
  fetch(new URL(path, url), {
    method: 'POST',
    headers: { 'x-goog-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify(ask()),
  })

/** A gateway as a process, with a running stream that ends when the test says. */
async function startStream() {
  const end = Promise.withResolvers<void>()
  const upstream = await startUpstream(({ path }) =>
    path.includes(':stream')
      ? stream(
          { event: piece('Once', { usageMetadata: usage(10, 1) }) },
          { wait: end.promise },
          { event: answer() },
        )
      : whole(answer()),
  )
  const folder = await prepareDataFolder(
    catalogueOf({ upstream_url: upstream.url, server: 'shutdown_timeout_ms = 500' }),
  )
  const log_path = `${folder.path}.log`
  const gateway = await startGatewayProcess('', folder, { log_path })
  const streaming = await call(gateway, streamPath())
  const reader = streaming.body?.getReader()
  await reader?.read()
  await eventually('its hold has its row', () => gateway.books().holds.length === 1)
  const ready = async () =>
    (await fetch(new URL('/readyz', gateway.url))).json() as Promise<{ reason?: string }>
  return {
    folder,
    gateway,
    /** The provider ends its answer, and the caller reads it to the end. */
    async finish() {
      end.resolve()
      // The error is dropped: the gateway withholds the end of the answer, because it could not charge it.
      while (!(await reader?.read().catch(() => ({ done: true })))?.done);
    },
    refused: () =>
      eventually('paid calls are refused', async () => {
        const refusal = await call(gateway)
        await refusal.arrayBuffer()
        // Only the reasons about the files count: a busy machine has other reasons, and checks the files a little later.
        return refusal.status === 503 && /is missing|was replaced/.test((await ready()).reason ?? '')
      }),
    ready,
    // The hold of a whole answer that was not sent is voided.
    settled: () =>
      eventually('all is settled', () => gateway.books().holds.every(({ state }) => state !== 'pending')),
    log: () => readFileSync(log_path, 'utf8'),
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]()
      await upstream[Symbol.asyncDispose]()
      rmSync(log_path, { force: true })
    },
  }
}

const AWAY = '.away'

test.each([
  ['the database file', '', 'the database file is missing'],
  ['its write-ahead log', '-wal', "the database's write-ahead log (-wal) is missing"],
  ['its shared memory', '-shm', "the database's shared memory (-shm) is missing"],
])(
  'without %s calls are refused, and a running one is charged once it is back',
  async (_, ending, reason) => {
    await using s = await startStream()
    const path = `${s.folder.database_path}${ending}`
    renameSync(path, path + AWAY)
    await s.refused()
    expect((await s.ready()).reason).toStartWith(reason)
    await s.finish()
    await eventually('the settlement waits', () => s.log().includes('a settlement failed'))
    expect((await fetch(new URL('/healthz', s.gateway.url))).status).toBe(200)

    renameSync(path + AWAY, path)
    await eventually('calls are accepted', async () => (await call(s.gateway)).status === 200)
    await s.settled()
    const { calls } = s.gateway.books()
    const findings = await s.gateway.findings()
    expect(findings).toEqual([])
    expect(calls[0]).toMatchObject({ outcome: 'broken', cost_nanos: ANSWER_NANOS })
    await eventually('the log says so', () =>
      s.log().includes("the database's files are in their place again"),
    )
  },
)

test('a moved folder gets no row while it is away, and the gateway continues once it is back', async () => {
  await using s = await startStream()
  const { path } = s.folder
  renameSync(path, path + AWAY)
  await s.refused()
  const elsewhere = openDatabase(`${path}${AWAY}/tollgate.db`, { readonly: true })
  const rows = () => elsewhere.query('SELECT id, state FROM holds').all()
  const before = rows()
  await s.finish()
  await s.refused()
  expect(rows()).toEqual(before)
  elsewhere.close()
  renameSync(path + AWAY, path)
  await eventually('calls are accepted', async () => (await call(s.gateway)).status === 200)
  await s.settled()
  expect(await s.gateway.findings()).toEqual([])
})

test('a stop without the database keeps the settlement until a start with it', async () => {
  await using s = await startStream()
  const { database_path, path } = s.folder
  const files = ['', '-wal', '-shm'].map((ending) => database_path + ending)
  for (const file of files) renameSync(file, file + AWAY)
  await s.refused()
  await s.finish()
  s.gateway.signal('SIGTERM')
  expect(await s.gateway.ended).toBe(0)
  expect(existsSync(`${path}/settlements.journal`)).toBe(true)
  for (const file of files) if (existsSync(file + AWAY)) renameSync(file + AWAY, file)
  await using again = await startGatewayProcess('', s.folder)
  expect(existsSync(`${path}/settlements.journal`)).toBe(false)
  const { calls } = again.books()
  const findings = await again.findings()
  expect(findings).toEqual([])
  expect(calls[0]).toMatchObject({ outcome: 'broken', cost_nanos: ANSWER_NANOS })
})

test('a copy in place of the database is refused, and gets no row', async () => {
  await using s = await startStream()
  const { database_path } = s.folder
  renameSync(database_path, database_path + AWAY)
  copyFileSync(database_path + AWAY, database_path)
  await s.refused()
  expect((await s.ready()).reason).toStartWith('the database file was replaced')
  const before = readFileSync(database_path)
  await s.finish()
  await s.refused()
  expect(readFileSync(database_path).equals(before)).toBe(true)
})
