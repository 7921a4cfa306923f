// Backups in the console: made and verified beside the calls, listed, and downloaded if they are encrypted, by the operator alone.
import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isEncrypted } from '../../plugins/backups/archive/encryption.ts'
import { catalogueOf } from '../support/catalogue.ts'
import { signedIn } from '../support/console-session.ts'
import { BACKGROUND_TIMEOUT_MS, eventually } from '../support/eventually.ts'
import { fileGateway } from '../support/gateway.ts'

setDefaultTimeout(BACKGROUND_TIMEOUT_MS)

const PLAIN = catalogueOf({ upstream_url: 'simulator' })
const ENCRYPTED = `${PLAIN}\n[backup]\npassphrase = "one open sesame"\n`

const gateway = await fileGateway({ catalogue: ENCRYPTED })
const operator = await signedIn(gateway, 'operator')
await gateway.account('alice', { balance_usd: '5' })

async function waitForWork() {
  await eventually(
    'the work ended',
    async () => (await operator.json('GET', '/backups/work')).running === null,
  )
  return await operator.json('GET', '/backups/work')
}

async function makeBackup(): Promise<string> {
  const started = await operator.json('POST', '/backups')
  expect(started.running).toMatchObject({ kind: 'make', name: null })
  const { last_made } = await waitForWork()
  expect(last_made).toMatchObject({ failure: null, result: expect.stringContaining('Backup created') })
  return last_made.name
}

test('the list is empty at first, and no backup is planned', async () => {
  expect(await operator.json('GET', '/backups')).toEqual({ backups: [] })
  expect(await operator.json('GET', '/backups/work')).toEqual({
    where: join(gateway.data_folder, 'backups'),
    next_at: null,
    next_at_ms: null,
    running: null,
    last_made: null,
    last_verified: null,
  })
})

test('a backup is made, listed, verified and downloaded', async () => {
  const name = await makeBackup()
  expect(name).toEndWith('.tar.zst.age')
  const { backups } = await operator.json('GET', '/backups')
  expect(backups).toMatchObject([{ name, encrypted: true, scheduled: false }])
  const [, line] = (await (await operator.send('GET', '/backups.csv')).text()).split('\r\n')
  expect(line).toMatch(new RegExp(`^${name},.*Z,${backups[0].bytes},true,false$`))
  const { actions } = await operator.json('GET', '/audit-log?area=system')
  expect(actions).toMatchObject([
    { action: 'backup.created', by: 'operator', subject: name, request_id: expect.stringMatching(/^req_/) },
  ])

  await operator.json('POST', `/backups/${name}/verify`)
  expect((await operator.send('POST', '/backups')).status).toBe(409)
  const { last_verified } = await waitForWork()
  expect(last_verified).toMatchObject({
    name,
    failure: null,
    result: expect.stringContaining('can be restored'),
  })

  const answer = await operator.send('GET', `/backups/${name}`)
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'application/octet-stream',
    'content-disposition': `attachment; filename="${name}"`,
    'cache-control': 'no-store',
  })
  const bytes = Buffer.from(await answer.bytes())
  expect(bytes.length).toBe(backups[0].bytes)
  expect(isEncrypted(bytes)).toBe(true)
  // These are the bytes that the drill has just opened with the passphrase.
  expect(bytes.equals(readFileSync(join(gateway.data_folder, 'backups', name)))).toBe(true)
})

test('a plain backup cannot be downloaded, because it holds the keys of the providers', async () => {
  await gateway.recatalogue(PLAIN)
  const name = await makeBackup()
  const answer = await operator.send('GET', `/backups/${name}`)
  expect([answer.status, await answer.text()]).toEqual([
    409,
    expect.stringContaining('Copy it on the server'),
  ])
})

describe('a request is refused', () => {
  test.each([
    ['GET', '/backups/tollgate-20200101T000000Z.tar.zst.age', 404],
    ['GET', '/backups/..%2Ftollgate.toml', 404],
    ['GET', '/backups/tollgate.db', 404],
    ['POST', '/backups/tollgate.toml/verify', 404],
  ])('%s %s: %i', async (method, path, status) => {
    expect((await operator.send(method, path)).status).toBe(status)
  })

  test('by an account holder', async () => {
    const alice = await signedIn(gateway, { account: 'alice' })
    for (const [method, path] of [
      ['GET', '/backups'],
      ['GET', '/backups/work'],
      ['POST', '/backups'],
      ['POST', '/backups/tollgate-20200101T000000Z.tar.zst.age/verify'],
      ['GET', '/backups/tollgate-20200101T000000Z.tar.zst.age'],
    ] as const)
      expect([path, (await alice.send(method, path)).status]).toEqual([path, 403])
  })
})

test('a damaged backup fails its drill', async () => {
  const name = 'tollgate-20200101T000000Z.tar.zst'
  writeFileSync(join(gateway.data_folder, 'backups', name), 'no archive')
  await operator.json('POST', `/backups/${name}/verify`)
  const { last_verified } = await waitForWork()
  expect(last_verified).toMatchObject({ name, result: null, failure: expect.stringContaining('is damaged') })
})

test('a backup warns at its end of files that it left out', async () => {
  mkdirSync(join(gateway.data_folder, 'plugins'), { recursive: true })
  symlinkSync('/etc/hostname', join(gateway.data_folder, 'plugins/link.ts'))
  await makeBackup()
  const { last_made } = await waitForWork()
  expect(last_made.warnings).toEqual([expect.stringContaining('plugins/link.ts')])
})
