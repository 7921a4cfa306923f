// The rights of the data folder: files are for their owner only, root writes for the folder's owner, and unwritable folders are refused.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensureCatalogue, FIRST_CATALOGUE } from '../../src/catalogue/first.ts'
import { openDatabase } from '../../src/store/engines/sqlite/open.ts'
import { createForOwner, giveToFolderOwner } from '../../src/store/folder.ts'
import { createScene } from '../app/commands/scene.ts'
import { prepareDataFolder } from '../support/data-folder.ts'
import { type GatewayProcess, startGatewayProcess } from '../support/gateway-process.ts'
import { commandOf } from '../support/programs.ts'

const IS_ROOT = process.geteuid?.() === 0
/** "nobody", who owns nothing here. */
const SERVICE = 65_534

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tollgate-folder-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const modeOf = (path: string) => statSync(path).mode & 0o777
const ownerOf = (path: string) => [lstatSync(path).uid, lstatSync(path).gid]

/** Runs a command as a user without rights. */
async function asService(...args: string[]) {
  const program = [...commandOf('as-user'), String(SERVICE)]
  const ran = Bun.spawn([...program, ...args, '--data', folder], {
    env: { PATH: '', HOME: '/' },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [err, status] = await Promise.all([ran.stderr.text(), ran.exited])
  return { err: err.trimEnd(), status }
}

test('a new file can be read by its owner only, whatever the umask', () => {
  const before = process.umask(0)
  createForOwner(join(folder, 'file'))
  process.umask(before)
  expect(modeOf(join(folder, 'file'))).toBe(0o600)
})

test('an existing file keeps its mode', () => {
  writeFileSync(join(folder, 'file'), 'text', { mode: 0o644 })
  createForOwner(join(folder, 'file'))
  expect(modeOf(join(folder, 'file'))).toBe(0o644)
})

describe.skipIf(!IS_ROOT)('run by root, in a folder of a service user', () => {
  beforeEach(() => chownSync(folder, SERVICE, SERVICE))

  test('new files belong to that user', () => {
    createForOwner(join(folder, 'file'))
    mkdirSync(join(folder, 'sub'))
    giveToFolderOwner(join(folder, 'sub'))
    expect(readdirSync(folder).map((name) => ownerOf(join(folder, name)))).toEqual([
      [SERVICE, SERVICE],
      [SERVICE, SERVICE],
    ])
  })

  test('every command leaves only files that the gateway of that user can write', async () => {
    const scenes = [createScene('nothing'), createScene('nothing')] as const
    const [one, other] = scenes
    for (const { dir } of scenes) chownSync(dir, SERVICE, SERVICE)
    for (const line of ['account create anna', 'credit anna 5', `backup ${one.path('b.db')}`])
      expect((await one.run(...line.split(' '))).status).toBe(0)
    expect((await other.run('restore', one.path('b.db'))).status).toBe(0)
    const written = scenes.flatMap(({ dir }) => readdirSync(dir).map((name) => join(dir, name)))
    expect(written).toContain(other.path('serve.lock'))
    for (const path of written)
      expect([path, ...ownerOf(path), modeOf(path) & 0o077]).toEqual([path, SERVICE, SERVICE, 0])
    for (const { remove } of scenes) remove()
  })
})

describe.skipIf(!IS_ROOT)('a gateway that root runs in a folder of a service user', () => {
  const LONG = 'tide '.repeat(40_000)

  /** Makes calls that write into each of the folders. @returns the key of the uploaded file */
  async function callsOf({ url, key }: GatewayProcess): Promise<string> {
    const ask = async (path: string, body: object | FormData, headers: Record<string, string> = {}) => {
      const is_form = body instanceof FormData
      const response = await fetch(new URL(path, url), {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, ...headers },
        body: is_form ? body : JSON.stringify(body),
      })
      const text = await response.text()
      expect([path, response.status, text.slice(0, 200)]).toEqual([path, 200, expect.any(String)])
      return JSON.parse(text)
    }
    const { data } = await ask('/v1/images/generations', { model: 'sim-image', prompt: 'a tide', n: 1 })
    const form = new FormData()
    form.append('files', new Blob([Buffer.from(data[0].b64_json, 'base64')], { type: 'image/png' }), 'a.png')
    const { uploaded } = await ask('/api/v1/upload', form)
    const once = { 'idempotency-key': crypto.randomUUID() }
    await ask('/v1/embeddings', { model: 'sim-embedding', input: Array(10).fill('a tide') }, once)
    await ask('/v1/responses', { model: 'sim-gpt', input: LONG })
    return uploaded[0].key
  }

  /** The paths in the folder that another user owns, or that are open to others. */
  const wronglyOwned = () =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .map((name) => join(folder, name))
      .filter((path) => statSync(path).uid !== SERVICE || (modeOf(path) & 0o077) !== 0)

  const stopped = async (gateway: GatewayProcess): Promise<number> => {
    gateway.signal('SIGTERM')
    return await gateway.ended
  }

  test('leaves no file of root: that user serves, reads and deletes them afterwards', async () => {
    using prepared = await prepareDataFolder(FIRST_CATALOGUE)
    rmSync(folder, { recursive: true })
    folder = prepared.path
    for (const name of ['', ...readdirSync(folder)]) {
      chownSync(join(folder, name), SERVICE, SERVICE)
      chmodSync(join(folder, name), name === '' ? 0o700 : 0o600)
    }
    await using by_root = await startGatewayProcess('', prepared)
    const file = await callsOf(by_root)
    expect(readdirSync(folder)).toEqual(expect.arrayContaining(['images', 'files', 'answers', 'responses']))
    expect(readdirSync(folder)).toEqual(
      expect.arrayContaining(['tollgate.db-wal', 'tollgate.db-shm', 'serve.lock', 'settlements.reserve']),
    )
    expect(wronglyOwned()).toEqual([])
    expect(await stopped(by_root)).toBe(0)

    await using by_service = await startGatewayProcess('', prepared, { as_user: SERVICE })
    await callsOf(by_service)
    const headers = { authorization: `Bearer ${by_service.key}` }
    const path = new URL(`/api/v1/files/${file}`, by_service.url)
    expect((await fetch(path, { headers })).status).toBe(200)
    expect((await fetch(path, { method: 'DELETE', headers })).status).toBe(200)
    expect((await fetch(path, { headers })).status).toBe(404)
    expect(await stopped(by_service)).toBe(0)
    expect(wronglyOwned()).toEqual([])
  })

  test.each(['images', 'responses', 'settlements.reserve'])(
    'that user cannot serve it beside a %s that root left in it, and the error names that',
    async (name) => {
      writeFileSync(join(folder, 'tollgate.toml'), FIRST_CATALOGUE)
      mkdirSync(join(folder, name), { mode: 0o700 })
      chmodSync(folder, 0o755)
      chownSync(folder, SERVICE, SERVICE)
      chownSync(join(folder, 'tollgate.toml'), SERVICE, SERVICE)
      expect(await asService('serve', '--listen', '127.0.0.1:0')).toEqual({
        status: 1,
        err: `error: ${join(folder, name)} cannot be written: it belongs to user 0, and this is user ${SERVICE}. Run this as its owner, or give it to this user: chown -R ${SERVICE} ${folder}`,
      })
    },
  )

  test('makes new folders for that user, too', async () => {
    chmodSync(folder, 0o755)
    chownSync(folder, SERVICE, SERVICE)
    await ensureCatalogue(join(folder, 'new/data/tollgate.toml'))
    for (const name of ['new', 'new/data', 'new/data/tollgate.toml'])
      expect(ownerOf(join(folder, name))).toEqual([SERVICE, SERVICE])
  })
})

describe.skipIf(!IS_ROOT)('a folder that this user cannot write', () => {
  beforeEach(() => {
    openDatabase(join(folder, 'tollgate.db')).close()
    writeFileSync(join(folder, 'tollgate.toml'), FIRST_CATALOGUE)
    for (const name of readdirSync(folder)) chmodSync(join(folder, name), 0o644)
    chmodSync(folder, 0o755)
  })
  const refused = (path: string) =>
    `error: ${path} cannot be written: it belongs to user 0, and this is user ${SERVICE}. Run this as its owner, or give it to this user: chown -R ${SERVICE} ${folder}`

  test.each(['serve --listen 127.0.0.1:0', 'account create anna', 'restore /dev/null'])(
    'tollgate %s names its owner, and how to change that',
    async (line) => {
      expect(await asService(...line.split(' '))).toEqual({ status: 1, err: refused(folder) })
    },
  )

  test.each(['tollgate.db', 'tollgate.db-wal', 'serve.lock'])(
    'names a %s that root left in it',
    async (name) => {
      chownSync(folder, SERVICE, SERVICE)
      chownSync(join(folder, 'tollgate.db'), SERVICE, SERVICE)
      writeFileSync(join(folder, name), '')
      chownSync(join(folder, name), 0, 0)
      const { status, err } = await asService('account', 'create', 'anna')
      expect([status, err]).toEqual([1, refused(join(folder, name))])
    },
  )

  test('is named by a first start, too', async () => {
    for (const name of readdirSync(folder)) rmSync(join(folder, name))
    expect(await asService('serve', '--listen', '127.0.0.1:0')).toEqual({ status: 1, err: refused(folder) })
  })

  test.each(['account list', 'credit anna 1'])('is refused for reading, too: tollgate %s', async (line) => {
    expect(await asService(...line.split(' '))).toEqual({ status: 1, err: refused(folder) })
  })

  test('is refused for a backup', async () => {
    const target = mkdtempSync(join(tmpdir(), 'tollgate-target-'))
    chmodSync(target, 0o755)
    chownSync(folder, SERVICE, SERVICE)
    const { status, err } = await asService('backup', join(target, 'b.db'))
    expect([status, err]).toEqual([
      1,
      `error: ${target} cannot be written by this user: name another folder for the backup.`,
    ])
    rmSync(target, { recursive: true })
  })

  test('is not considered empty if it cannot even be read', async () => {
    chmodSync(folder, 0o700)
    const { status, err } = await asService('account', 'list')
    expect([status, err]).toEqual([
      1,
      `error: ${folder}/tollgate.db: permission denied: check its owner, or run this as the user that runs the gateway.`,
    ])
  })
})
