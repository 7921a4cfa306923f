// The data of the System page: only for the operator, and correct.
import { describe, expect, test } from 'bun:test'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import manifest from '../../package.json' with { type: 'json' }
import { measureParts } from '../../plugins/system/folders.ts'
import { clientOf, signedIn } from '../support/console-session.ts'
import { ENGINE } from '../support/engine.ts'
import { eventually } from '../support/eventually.ts'
import { FILES } from '../support/files.ts'
import { fileGateway, startTestGateway } from '../support/gateway.ts'
import { ask, wholePath } from '../support/native.ts'
import { hasS3Server, partOf, startS3Server } from '../support/s3-server.ts'
import { temporary } from '../support/temporary.ts'
import { formOf, MIN_BYTES, pictureOf, post } from '../upload/support.ts'

const PATH = '/system'

interface PluginView {
  name: string
  file: string
  routes: string[]
  hooks: Record<string, number>
  since_start: Record<string, number>
}

interface SystemView {
  plugins: PluginView[]
  version: string
  not_ready: string | null
  calls_under_way: number
  memory_bytes: number
  database: { engine: string; address: string; bytes: number }
  files: { bucket: string | null; trouble: string | null }
  data: {
    folder: string
    free_bytes: number
    disk_bytes: number
    measured_at_ms: number | null
    parts: { name: string; bytes: number; files: number }[]
  }
}

const gateway = await fileGateway()

describe('the data', () => {
  test('needs a session', async () => {
    expect((await clientOf(gateway).send('GET', PATH)).status).toBe(401)
  })

  test('is refused to an account, by password or by key', async () => {
    await gateway.account('alice', { balance_usd: '1' })
    const by_password = await signedIn(gateway, { account: 'alice' })
    const by_key = await signedIn(gateway, { key: await gateway.key('alice') })
    expect((await by_password.send('GET', PATH)).status).toBe(403)
    expect((await by_key.send('GET', PATH)).status).toBe(403)
  })

  test('describes the process to the operator', async () => {
    const operator = await signedIn(gateway, 'operator')
    const seen = (await operator.json('GET', PATH)) as SystemView
    expect(seen.version).toBe(manifest.version)
    expect(seen.not_ready).toBeNull()
    expect(seen.calls_under_way).toBe(0)
    expect([seen.files.bucket === null, seen.files.trouble]).toEqual([FILES === 'folders', null])
    expect(seen.memory_bytes).toBeGreaterThan(10_000_000)
    expect(seen.data.folder).toBe(gateway.data_folder)
    expect(seen.database.engine).toMatch(ENGINE === 'SQLite' ? /^SQLite$/ : /^PostgreSQL \d+/)
    expect(seen.database.address).toMatch(
      ENGINE === 'SQLite' ? /tollgate\.db$/ : /^postgres:\/\/[^/@]+\/\w+$/,
    )
    expect(seen.database.bytes).toBeGreaterThan(100_000)
    expect(seen.data.free_bytes).toBeLessThanOrEqual(seen.data.disk_bytes)
  })
})

test('custom plugins are listed with their hooks and routes, and with counts of their calls', async () => {
  await using with_plugins = await startTestGateway({
    own_plugins: {
      '10-list.ts': `export default ({ gateway }) => gateway.beforeCall(({ text }) => {
        if (text === 'throw') throw new Error('no list')
        if (text === 'refuse') return { refuse: { message: 'No.' } }
        if (text === 'change') return { body: { contents: [{ role: 'user', parts: [{ text: 'Hi.' }] }] } }
      })`,
      '20-tell.ts': `export default ({ app, gateway }) => {
        app.get('/told', 'x')
        gateway.afterSettle(() => { throw new Error('nobody listens') })
      }`,
    },
  })
  const key = await with_plugins.caller()
  for (const text of ['pass', 'change', 'refuse', 'throw'])
    await with_plugins.call(wholePath(), ask(text), { key })
  await with_plugins.atRest()
  const seen = async () => (await (await signedIn(with_plugins, 'operator')).json('GET', '/plugins')).plugins
  await eventually('both calls were delivered', async () => (await seen())[1]?.since_start.delivered === 2)
  const none = {
    seen: 0,
    refused: 0,
    changed: 0,
    failed: 0,
    waiting: 0,
    delivered: 0,
    dropped: 0,
    failed_after: 0,
  }
  expect(await seen()).toEqual([
    {
      name: '10-list',
      file: '10-list.ts',
      routes: [],
      hooks: { before_call: 1, after_settle: 0 },
      since_start: { ...none, seen: 4, refused: 1, changed: 1, failed: 1 },
    },
    {
      name: '20-tell',
      file: '20-tell.ts',
      routes: ['GET /told'],
      hooks: { before_call: 0, after_settle: 1 },
      since_start: { ...none, delivered: 2, failed_after: 2 },
    },
  ])
})

test('the data folder is measured in the background', async () => {
  const operator = await signedIn(gateway, 'operator')
  let seen: SystemView | undefined
  await eventually('the folder was measured', async () => {
    seen = (await operator.json('GET', PATH)) as SystemView
    return seen.data.measured_at_ms !== null
  })
  if (ENGINE !== 'SQLite') return
  const database = seen?.data.parts.find(({ name }) => name === 'database')
  expect(database?.bytes).toBeGreaterThanOrEqual(
    (await Bun.file(join(gateway.data_folder, 'tollgate.db')).stat()).size,
  )
})

test('the parts of a folder are its folders with all their files, the database, and the rest', async () => {
  using folder = temporary()
  await mkdir(folder.at('images/ab/cd'), { recursive: true })
  await Promise.all(
    Array.from({ length: 130 }, (_, at) => writeFile(folder.at('images/ab', `${at}.png`), 'x'.repeat(10))),
  )
  await writeFile(folder.at('images/ab/cd/deep.png'), 'x'.repeat(700))
  await writeFile(folder.at('tollgate.db'), 'x'.repeat(400))
  await writeFile(folder.at('tollgate.db-wal'), 'x'.repeat(100))
  await writeFile(folder.at('tollgate.toml'), 'x'.repeat(7))
  expect(await measureParts(folder.path)).toEqual([
    { name: 'images', bytes: 2_000, files: 131 },
    { name: 'database', bytes: 500, files: 2 },
    { name: 'other files', bytes: 7, files: 1 },
  ])
})

test.skipIf(!hasS3Server)('the data has the address of a bucket, and says if it is unusable', async () => {
  await using s3 = await startS3Server('files')
  const bucket = partOf(s3)
  await using its = await startTestGateway({ bucket })
  const operator = await signedIn(its, 'operator')
  const files = async () => ((await operator.json('GET', PATH)) as SystemView).files
  expect(await files()).toEqual({ bucket: `s3://files/${bucket.prefix}`, trouble: null })
  await s3.stop()
  await post(its, await its.caller(), formOf([{ bytes: pictureOf(MIN_BYTES) }]))
  expect(await files()).toEqual({
    bucket: `s3://files/${bucket.prefix}`,
    trouble: 'the bucket cannot be read or written',
  })
})
