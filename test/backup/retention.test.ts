// What follows a scheduled backup where something is wrong: it was made all the same, and nothing else is deleted.
import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { generateIdentity, identityToRecipient } from 'age-encryption'
import type { Archive } from '../../src/backup/archives.ts'
import { archiveName } from '../../src/backup/names.ts'
import type { Place } from '../../src/backup/places.ts'
import { madeIn } from '../../src/server/backup/record.ts'
import { recordMade, retain } from '../../src/server/backup/retain.ts'
import { createScene, type Scene } from '../cli/scene.ts'
import { temporary } from '../support/temporary.ts'

const DAY_MS = 24 * 3_600_000

/** A bucket as far as backups use one, which lets nothing be deleted. */
const objects = new Map<string, Uint8Array>()
const bucket = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  async fetch(request) {
    const { pathname, searchParams } = new URL(request.url)
    const key = pathname.replace(/^\/[^/]+\/?/, '')
    if (request.method === 'DELETE') return refusal('AccessDenied', 403)
    if (searchParams.has('list-type')) return new Response(listOf([...objects]))
    if (request.method === 'PUT') {
      objects.set(key, await request.bytes())
      return new Response(null, { headers: { etag: '"x"' } })
    }
    const object = objects.get(key)
    return object ? new Response(object) : refusal('NoSuchKey', 404)
  },
})
afterAll(() => bucket.stop(true))

const refusal = (code: string, status: number) =>
  new Response(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>no</Message></Error>`, { status })
const listOf = (all: readonly (readonly [string, Uint8Array])[]): string =>
  `<?xml version="1.0"?><ListBucketResult><IsTruncated>false</IsTruncated>${all
    .map(([key, { length }]) => `<Contents><Key>${key}</Key><Size>${length}</Size></Contents>`)
    .join('')}</ListBucketResult>`

let scene: Scene
beforeEach(async () => {
  objects.clear()
  scene = createScene()
  const recipient = await identityToRecipient(await generateIdentity())
  const section = `
[backup]
keep = 1
bucket = "backups"
endpoint = "http://127.0.0.1:${bucket.port}"
access_key_id = "tester"
secret_access_key = "secret"
recipient = "${recipient}"
`
  writeFileSync(scene.path('tollgate.toml'), readFileSync(scene.path('tollgate.toml'), 'utf8') + section)
  return () => scene.remove()
})

async function scheduled(): Promise<{ status: number; name: string; err: string }> {
  scene.now_ms += DAY_MS
  const { status, out, err } = await scene.run('backup', '--scheduled', '--json')
  return { status, err, name: JSON.parse(out).name }
}

test('those that cannot be deleted: a warning, and what was made is recorded', async () => {
  const first = await scheduled()
  const second = await scheduled()
  expect([first.status, first.err]).toEqual([0, ''])
  expect(second.status).toBe(0)
  expect(JSON.parse(second.err).warning).toStartWith('Older backups could not be deleted: The bucket backups')
  expect([...objects.keys()]).toEqual([first.name, second.name])
  const { backups } = await scene.json('backup', 'list')
  expect(backups.map((one: { scheduled: boolean }) => one.scheduled)).toEqual([true, true])
})

test('a record that cannot be read: it is moved away and told, and what it named is kept', async () => {
  writeFileSync(scene.path('backups.json'), 'no record')
  const { status, err } = await scheduled()
  expect(status).toBe(0)
  expect(JSON.parse(err).warning).toContain(scene.path('backups.json.unreadable'))
  expect(readFileSync(scene.path('backups.json.unreadable'), 'utf8')).toBe('no record')
  expect(existsSync(scene.path('backups.json'))).toBe(true)
})

describe('by the record', () => {
  const archive = (made_at_ms: number): Archive => ({
    name: archiveName({ made_at_ms, is_encrypted: false }),
    bytes: 1,
    made_at_ms,
    is_encrypted: false,
  })
  const all = [archive(3_000), archive(2_000), archive(1_000)]
  function place(id: string): Place & { removed: string[] } {
    const removed: string[] = []
    return {
      id,
      removed,
      where: 's3://backups/home/',
      check: async () => {},
      put: async () => 0,
      open: async () => (async function* () {})(),
      list: async () => all,
      remove: async (name) => void removed.push(name),
    }
  }

  test('copies of the same names on another server are not what the schedule made there', async () => {
    using folder = temporary()
    const [here, there] = [place('https://one.example/backups/'), place('https://two.example/backups/')]
    for (const { name, made_at_ms } of all)
      recordMade({ data_folder: folder.path, place: here }, name, made_at_ms)
    expect(await retain({ data_folder: folder.path, place: there, keep: 1 })).toEqual([])
    expect(there.removed).toEqual([])
    expect(madeIn(folder.path, here).size).toBe(3)
    expect(await retain({ data_folder: folder.path, place: here, keep: 1 })).toEqual(
      all.slice(1).map(({ name }) => name),
    )
    expect([...madeIn(folder.path, here)]).toEqual(all.slice(0, 1).map(({ name }) => name))
  })
})
