// The memory of uploads: they go to the disk as they come, so it does not grow with them. Measured in a process of its own.
import { expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAccount } from '../../src/access/accounts.ts'
import { createKey } from '../../src/access/keys.ts'
import { openDatabase } from '../../src/db/open.ts'
import { MAX_IMAGE_BYTES } from '../../src/media/limits.ts'
import { startServer } from '../crash/process.ts'
import { catalogueOf } from '../support/catalogue.ts'
import { peakMemory } from '../support/memory.ts'
import { BOUNDARY, formOf, pictureOf } from './support.ts'

const UPLOADS = 16
const MAX_MB = 300

test(`${UPLOADS} uploads of 25 MB at once keep the process below ${MAX_MB} MB`, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-memory-'))
  try {
    await Bun.write(
      join(folder, 'tollgate.toml'),
      catalogueOf({ upstream_url: 'simulator', server: 'listen = "127.0.0.1:0"' }),
    )
    const db = openDatabase(join(folder, 'tollgate.db'))
    const settings = { models: null, spend_limit_nanos: null, addresses: null, expires_at_ms: null }
    const randomBytes = (length: number) => crypto.getRandomValues(new Uint8Array(length))
    const keys = Array.from({ length: UPLOADS }, (_, index) => {
      createAccount(db, { name: `account-${index}`, now_ms: 0 })
      return createKey(db, `account-${index}`, { name: 'key', ...settings }, { randomBytes, now_ms: 0 }).text
    })
    db.close()
    const server = await startServer(folder, 'none', 1)
    const body = formOf([{ bytes: pictureOf(MAX_IMAGE_BYTES) }])
    const upload = async (key: string) => {
      const response = await fetch(`${server.url}api/v1/upload`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
        },
        body,
      })
      return response.status
    }
    const statuses = await Promise.all(keys.map(upload))
    expect(statuses).toEqual(keys.map(() => 200))
    const peak_mb = await peakMemory(server.child.pid)
    server.child.kill('SIGTERM')
    await server.child.exited
    expect(peak_mb).toBeGreaterThan(20)
    expect(peak_mb).toBeLessThan(MAX_MB)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
