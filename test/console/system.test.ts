// The System page's data: for the operator alone, and true.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import manifest from '../../package.json' with { type: 'json' }
import { measureParts } from '../../plugins/console/api/system-folders.ts'
import { clientOf, signedIn } from '../support/console-session.ts'
import { eventually } from '../support/eventually.ts'
import { startTestGateway, type TestGateway } from '../support/gateway.ts'

const PATH = '/system'

interface SystemView {
  version: string
  not_ready: string | null
  calls_under_way: number
  memory_bytes: number
  data: {
    folder: string
    free_bytes: number
    disk_bytes: number
    measured_at_ms: number | null
    parts: { name: string; bytes: number; files: number }[]
  }
}

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway()
})
afterAll(() => gateway.stop())

describe('who sees it', () => {
  test('nobody without a session', async () => {
    expect((await clientOf(gateway).send('GET', PATH)).status).toBe(401)
  })

  test('no account, by password or by key', async () => {
    await gateway.account('alice', { balance_usd: '1' })
    const by_password = signedIn(gateway, { account: 'alice' })
    const by_key = signedIn(gateway, { key: gateway.key('alice') })
    expect((await by_password.send('GET', PATH)).status).toBe(403)
    expect((await by_key.send('GET', PATH)).status).toBe(403)
  })

  test('the operator, with what the process says of itself', async () => {
    const operator = signedIn(gateway, 'operator')
    const seen = (await operator.json('GET', PATH)) as SystemView
    expect(seen.version).toBe(manifest.version)
    expect(seen.not_ready).toBeNull()
    expect(seen.calls_under_way).toBe(0)
    expect(seen.memory_bytes).toBeGreaterThan(10_000_000)
    expect(seen.data.folder).toBe(gateway.data_folder)
    expect(seen.data.free_bytes).toBeLessThanOrEqual(seen.data.disk_bytes)
  })
})

test('the data folder is measured beside the answers', async () => {
  const operator = signedIn(gateway, 'operator')
  let seen: SystemView | undefined
  await eventually('the folder was measured', async () => {
    seen = (await operator.json('GET', PATH)) as SystemView
    return seen.data.measured_at_ms !== null
  })
  const database = seen?.data.parts.find(({ name }) => name === 'database')
  expect(database?.bytes).toBeGreaterThanOrEqual(
    (await Bun.file(join(gateway.data_folder, 'tollgate.db')).stat()).size,
  )
})

test('the parts of a folder: each folder with all that is in it, the database, and the rest', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-sizes-'))
  try {
    await mkdir(join(folder, 'images/ab/cd'), { recursive: true })
    await Promise.all(
      Array.from({ length: 130 }, (_, at) =>
        writeFile(join(folder, 'images/ab', `${at}.png`), 'x'.repeat(10)),
      ),
    )
    await writeFile(join(folder, 'images/ab/cd/deep.png'), 'x'.repeat(700))
    await writeFile(join(folder, 'tollgate.db'), 'x'.repeat(400))
    await writeFile(join(folder, 'tollgate.db-wal'), 'x'.repeat(100))
    await writeFile(join(folder, 'tollgate.toml'), 'x'.repeat(7))
    expect(await measureParts(folder)).toEqual([
      { name: 'images', bytes: 2_000, files: 131 },
      { name: 'database', bytes: 500, files: 2 },
      { name: 'other files', bytes: 7, files: 1 },
    ])
  } finally {
    await rm(folder, { recursive: true })
  }
})
