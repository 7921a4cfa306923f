// Retention after a scheduled backup: if older ones cannot be deleted, the new one is kept, with a warning.
import { afterAll, beforeEach, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { generateIdentity, identityToRecipient } from 'age-encryption'
import { createScene, type Scene } from '../app/commands/scene.ts'

const DAY_MS = 24 * 3_600_000

/** A bucket with the operations that backups use, which refuses to delete. */
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

async function makeScheduled(): Promise<{ status: number; name: string; err: string }> {
  scene.now_ms += DAY_MS
  const { status, out, err } = await scene.run('backup', '--scheduled', '--json')
  return { status, err, name: JSON.parse(out).name }
}

test('older backups that cannot be deleted bring a warning, and the new one is listed as scheduled', async () => {
  const first = await makeScheduled()
  const second = await makeScheduled()
  expect([first.status, first.err]).toEqual([0, ''])
  expect(second.status).toBe(0)
  expect(JSON.parse(second.err).warning).toStartWith('Older backups could not be deleted: The bucket backups')
  expect([...objects.keys()]).toEqual([first.name, second.name])
  const { backups } = await scene.json('backup', 'list')
  expect(backups.map((one: { scheduled: boolean }) => one.scheduled)).toEqual([true, true])
})
