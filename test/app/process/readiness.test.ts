// Readiness: `/readyz` and new calls while the disk is full, the database file is missing or replaced, or its write lock is taken.
import { afterEach, expect, test } from 'bun:test'
import { copyFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '../../support/eventually.ts'
import { answering, ask, wholePath } from '../../support/native.ts'
import { type Scene, scene } from '../../support/scene.ts'
import { mayMount, mountSmallDisk } from '../../support/small-disk.ts'
import { MAX_BUSY_WAIT_MS, takeWriteLock } from '../../support/write-lock.ts'
import { BOUNDARY, formOf, pictureOf } from '../../upload/support.ts'

let opened: Scene | undefined
afterEach(async () => {
  await opened?.[Symbol.asyncDispose]()
  opened = undefined
})

async function open(options: Parameters<typeof scene>[0] = {}): Promise<Scene> {
  opened = await scene({ script: answering, ...options })
  return opened
}

async function readiness({ gateway }: Scene): Promise<{ status: number; reason: string | undefined }> {
  const response = await gateway.call('/readyz')
  const { reason } = (await response.json()) as { reason?: string }
  return { status: response.status, reason }
}

const turnsTo = (s: Scene, status: number) =>
  eventually(`/readyz is ${status}`, async () => (await readiness(s)).status === status)

/** New calls are refused and leave no hold; `/healthz` still succeeds. */
async function expectClosed(s: Scene, reason: string): Promise<void> {
  expect(await readiness(s)).toEqual({ status: 503, reason })
  const before = s.counts()
  const refused = await s.call(wholePath(), ask())
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1'])
  expect(await refused.json()).toMatchObject({ error: { status: 'UNAVAILABLE' } })
  expect(s.counts()).toEqual(before)
  expect((await s.gateway.call('/healthz')).status).toBe(200)
}

async function expectOpen(s: Scene): Promise<void> {
  await turnsTo(s, 200)
  expect((await s.call(wholePath(), ask())).status).toBe(200)
}

/** The lines of the log about readiness. */
const logged = ({ gateway }: Scene) =>
  gateway.log
    .lines()
    .filter(({ message }) => /^(not ready|ready again|the ledger can|the database's files)/.test(message))

const MISSING = 'the database file is missing: put it back, or stop the gateway and restore a backup'

const database = ({ gateway }: Scene) => join(gateway.data_folder, 'tollgate.db')

test('calls are refused until a moved database file is put back', async () => {
  const s = await open()
  renameSync(database(s), `${database(s)}.away`)
  await turnsTo(s, 503)
  await expectClosed(s, MISSING)
  renameSync(`${database(s)}.away`, database(s))
  await expectOpen(s)
  const reason = MISSING
  expect(logged(s)).toMatchObject([
    { level: 'error', message: 'not ready: nothing is written, and new paid calls are refused', reason },
    {
      level: 'info',
      message: "the database's files are in their place again",
      reason,
      lasted_ms: expect.any(Number),
    },
  ])
})

test('uploads are refused without the database file, and succeed once it is back', async () => {
  const s = await open()
  const upload = async () =>
    (
      await s.call('/api/v1/upload', formOf([{ bytes: pictureOf(1_000) }]), {
        headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
      })
    ).status
  const files = () => s.gateway.db.query('SELECT count(*) AS files FROM files').get()
  const before = files()
  renameSync(database(s), `${database(s)}.away`)
  await turnsTo(s, 503)
  expect(await upload()).toBe(503)
  renameSync(`${database(s)}.away`, database(s))
  await turnsTo(s, 200)
  expect(files()).toEqual(before)
  expect(await upload()).toBe(200)
})

// The gateway would write into a file that no longer has a name.
test('calls are refused after a copy replaced the database file', async () => {
  const s = await open()
  renameSync(database(s), `${database(s)}.away`)
  copyFileSync(`${database(s)}.away`, database(s))
  await turnsTo(s, 503)
  await expectClosed(
    s,
    'the database file was replaced while the gateway ran: put the former one back, or restart the gateway',
  )
  renameSync(`${database(s)}.away`, database(s))
  await expectOpen(s)
})

test.skipIf(!mayMount)('a full disk is noticed before any call fails', async () => {
  using disk = mountSmallDisk()
  const s = await open({ parent_folder: disk.path })
  await disk.fill()
  await turnsTo(s, 503)
  await expectClosed(s, 'the disk is full')
  disk.free()
  await expectOpen(s)
  expect(logged(s)).toContainEqual(
    expect.objectContaining({
      message: 'not ready: new paid calls are refused',
      reason: 'the disk is full',
      folder: s.gateway.data_folder,
      // A check may run while the disk is being filled.
      free: expect.stringMatching(/^(\d+ (bytes|kB)|[0-4]\.\d MB)$/),
      needed: '4.2 MB',
    }),
  )
  expect(logged(s).at(-1)).toMatchObject({ lasted_ms: expect.any(Number) })
  await s[Symbol.asyncDispose]()
  opened = undefined
})

test('calls are refused while another process keeps the write lock', async () => {
  const s = await open({ max_busy_wait_ms: MAX_BUSY_WAIT_MS })
  const unlock = await takeWriteLock(database(s))
  const waiting = s.call(wholePath(), ask())
  await turnsTo(s, 503)
  expect((await waiting).status).toBe(503)
  await expectClosed(s, "another process holds the database's write lock")
  await unlock()
  await expectOpen(s)
  expect(logged(s)).toMatchObject([
    {
      level: 'error',
      reason: "another process holds the database's write lock",
      database: join(s.gateway.data_folder, 'tollgate.db'),
    },
    { level: 'info', message: 'the ledger can commit again: calls are taken', lasted_ms: expect.any(Number) },
  ])
}, 60_000)
