// Issue: large bodies are admitted within a memory budget; the process stays under 1 GB with 16 of 100 MB at once.
import { expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAccount } from '../../src/access/accounts.ts'
import { createKey } from '../../src/access/keys.ts'
import { openDatabase } from '../../src/db/open.ts'
import { startServer } from '../crash/process.ts'
import { catalogueOf, PICTURE } from '../support/catalogue.ts'
import { peakMemory } from '../support/memory.ts'
import { COMPOSE, dataUri, PNG } from './world.ts'

const BODIES = 16
const MEGABYTE = 1024 * 1024
const MAX_MB = 1_000

/** Three images of which each is allowed, and all of them together are not; as much as fits into 100 MB. */
function largestBody(): Buffer {
  const image_urls = [1, 2, 3].map((mark) => {
    const image = Buffer.alloc(24.9 * MEGABYTE, mark)
    PNG.copy(image)
    return dataUri(image)
  })
  const body = Buffer.from(JSON.stringify({ model: PICTURE, prompt: 'ein Häuschen', image_urls }))
  return Buffer.concat([body, Buffer.alloc(100 * MEGABYTE - body.length, ' ')])
}

test(`${BODIES} compose bodies of 100 MB at once keep the process below 1 GB, and each is answered`, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-memory-'))
  try {
    await Bun.write(
      join(folder, 'tollgate.toml'),
      catalogueOf({ upstream_url: 'simulator', server: 'listen = "127.0.0.1:0"' }),
    )
    const db = openDatabase(join(folder, 'tollgate.db'))
    const settings = { models: null, spend_limit_nanos: null, addresses: null, expires_at_ms: null }
    const randomBytes = (length: number) => crypto.getRandomValues(new Uint8Array(length))
    createAccount(db, { name: 'account', now_ms: 0 })
    const { text: key } = createKey(db, 'account', { name: 'key', ...settings }, { randomBytes, now_ms: 0 })
    db.close()
    const server = await startServer(folder, 'none', 1)
    const body = largestBody()
    const answers = await Promise.all(
      Array.from({ length: BODIES }, async () => {
        const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
        const response = await fetch(new URL(COMPOSE, server.url), { method: 'POST', headers, body })
        const { error } = (await response.json()) as { error: { code: string } }
        return [response.status, error.code]
      }),
    )
    expect(answers).toEqual(Array(BODIES).fill([400, 'IMAGES_TOO_LARGE_TOTAL']))
    const peak_mb = await peakMemory(server.child.pid)
    server.child.kill('SIGTERM')
    await server.child.exited
    expect(peak_mb).toBeGreaterThan(100)
    expect(peak_mb).toBeLessThan(MAX_MB)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}, 120_000)
