// Kept responses over the life of a gateway: time and changed settings, a restart, a restored backup.
import { afterEach, describe, expect, test } from 'bun:test'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createFileStore } from '../../src/media/store.ts'
import { RESPONSES_FOLDER } from '../../src/responses/store.ts'
import { catalogueOf } from '../support/catalogue.ts'
import { ENGINE } from '../support/engine.ts'
import { eventually } from '../support/eventually.ts'
import { commandOf } from '../support/programs.ts'
import { restarts } from '../support/restarts.ts'
import { answerTo, LARGE, type ResponsesScene, responsesScene } from './support.ts'
import { DAY_MS } from './world.ts'

const CATALOGUE = catalogueOf({ upstream_url: 'simulator' })
const ROOT = join(import.meta.dir, '../..')

let opened: ResponsesScene | undefined
afterEach(async () => {
  await opened?.[Symbol.asyncDispose]()
  opened = undefined
})

const rowsIn = ({ gateway }: ResponsesScene) => gateway.db.query('SELECT 1 FROM responses').all().length
const filesIn = ({ gateway }: ResponsesScene) =>
  Array.fromAsync(createFileStore(join(gateway.data_folder, RESPONSES_FOLDER)).list())

describe('time', () => {
  test('a response is 404 once its days are over, and the sweep deletes it with its file', async () => {
    const clock = { now_ms: Date.now() }
    opened = await responsesScene({ now: () => clock.now_ms, sweep_every_ms: 20 })
    const { store, account_id, call } = opened
    await store.keep(answerTo('resp_1', account_id, { text: LARGE, created_at_ms: clock.now_ms }))
    expect((await call('/v1/responses/resp_1')).status).toBe(200)
    clock.now_ms += 30 * DAY_MS
    expect((await call('/v1/responses/resp_1')).status).toBe(404)
    clock.now_ms += DAY_MS
    const { gateway } = opened
    await eventually('the row is deleted', () => gateway.db.query('SELECT 1 FROM responses').get() === null)
    await eventually(
      'the file is deleted',
      async () => (await filesIn(opened as ResponsesScene)).length === 0,
    )
  })

  test('an operator who sets store = false has everything deleted', async () => {
    opened = await responsesScene({ sweep_every_ms: 20 })
    const { store, account_id, call, gateway } = opened
    await store.keep(answerTo('resp_1', account_id, { text: LARGE }))
    await store.keep(answerTo('resp_2', account_id, { previous_id: 'resp_1' }))
    await opened.recatalogue({ more: '[responses]\nstore = false\n' })
    expect(store.enabled).toBe(false)
    expect((await call('/v1/responses/resp_2')).status).toBe(404)
    await eventually('all rows are deleted', () => gateway.db.query('SELECT 1 FROM responses').get() === null)
    await store.keep(answerTo('resp_3', account_id))
    expect(rowsIn(opened)).toBe(0)
  })
})

// In processes of their own: a closed connection keeps its file open until its prepared queries are collected.
async function run(...command: string[]): Promise<{ status: number; out: string }> {
  const child = Bun.spawn(command, { cwd: ROOT, stdout: 'pipe', stderr: 'pipe' })
  const [out, errors] = await Promise.all([child.stdout.text(), child.stderr.text()])
  return { status: await child.exited, out: out + errors }
}

/** Keeps a conversation of two responses in a data folder that no gateway serves: one in a row, one in a file. */
async function fill(folder: string): Promise<void> {
  expect(await run(...commandOf('fill-responses'), folder)).toEqual({ status: 0, out: '' })
}

const tollgate = (folder: string, ...args: string[]) =>
  run(...commandOf('gateway'), ...args, '--data', folder)

/** Folders whose rows are on SQLite whatever the run says: a run on PostgreSQL would only repeat what they prove. */
const IS_SQLITE = ENGINE === 'SQLite'

describe.if(IS_SQLITE)('a restart', () => {
  test('finds everything unchanged, each account its own, and deletes files without a row', async () => {
    using data = await restarts(CATALOGUE, 2)
    const { path } = data.folder
    await fill(path)
    await createFileStore(join(path, RESPONSES_FOLDER)).put('stray', new Uint8Array(5))
    for (const round of [1, 2]) {
      await using gateway = await data.start()
      const items = await gateway.call('/v1/responses/resp_2/input_items')
      const { data: listed } = (await items.json()) as { data: unknown[] }
      expect([round, listed.length]).toEqual([round, 3])
      expect((await gateway.call('/v1/responses/resp_1')).status).toBe(200)
      expect((await gateway.call('/v1/responses/resp_1', { account: 1 })).status).toBe(404)
      const strays = gateway.log.lines().filter(({ message }) => String(message).includes('no row names'))
      expect(strays).toHaveLength(round === 1 ? 1 : 0)
    }
  })
})

describe.if(IS_SQLITE)('a backup', () => {
  test('of the database alone, with the folder beside it, brings everything back; without it, large responses are 404, and findings of the audit', async () => {
    using data = await restarts(CATALOGUE)
    const { path, keys } = data.folder
    await fill(path)
    const backups = await mkdtemp(join(tmpdir(), 'tollgate-backup-'))
    const backup = join(backups, 'tollgate.db')
    expect(await tollgate(path, 'backup', backup, '--database-only')).toMatchObject({ status: 0 })
    await cp(join(path, RESPONSES_FOLDER), join(backups, RESPONSES_FOLDER), { recursive: true })
    expect((await tollgate(path, 'audit')).out).toMatch(/^responses +2, of \d+ bytes$/m)

    using other = await restarts(CATALOGUE)
    const { path: machine, database_path } = other.folder
    for (const suffix of ['', '-wal', '-shm']) await rm(database_path + suffix, { force: true })
    expect(await tollgate(machine, 'restore', backup)).toMatchObject({ status: 0 })
    expect(await tollgate(machine, 'audit')).toEqual({
      status: 1,
      out: expect.stringContaining('response resp_1: lacks '),
    })
    const statuses = async () => {
      await using gateway = await other.start()
      const headers = { authorization: `Bearer ${keys[0]}` }
      const answers = ['resp_1', 'resp_2'].map((id) => gateway.call(`/v1/responses/${id}`, { headers }))
      return (await Promise.all(answers)).map(({ status }) => status)
    }
    expect(await statuses()).toEqual([404, 200])
    await cp(join(backups, RESPONSES_FOLDER), join(machine, RESPONSES_FOLDER), { recursive: true })
    expect(await tollgate(machine, 'audit')).toMatchObject({ status: 0 })
    expect(await statuses()).toEqual([200, 200])
    await rm(backups, { recursive: true })
  })
})
