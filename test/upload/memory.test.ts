// The memory of uploads, measured in a process of its own: they are parsed as a stream to the disk, so it does not grow with them.
// In long runs only: TOLLGATE_LONG=1
import { expect, test } from 'bun:test'
import { MAX_IMAGE_BYTES } from '../../src/media/limits.ts'
import { startServer } from '../crash/process.ts'
import { catalogueOf } from '../support/catalogue.ts'
import { prepareDataFolder } from '../support/data-folder.ts'
import { IS_LONG } from '../support/long.ts'
import { peakMemory } from '../support/memory.ts'
import { BOUNDARY, formOf, pictureOf } from './support.ts'

const UPLOADS = 16
const MAX_MB = 300

test.skipIf(!IS_LONG)(`${UPLOADS} uploads of 25 MB at once keep the process below ${MAX_MB} MB`, async () => {
  using folder = await prepareDataFolder(
    catalogueOf({ upstream_url: 'simulator', server: 'listen = "127.0.0.1:0"' }),
    { accounts: UPLOADS },
  )
  const server = await startServer(folder.path, 'none', 1)
  const body = formOf([{ bytes: pictureOf(MAX_IMAGE_BYTES) }])
  const content_type = `multipart/form-data; boundary=${BOUNDARY}`
  const upload = async (key: string) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': content_type }
    const response = await fetch(`${server.url}api/v1/upload`, { method: 'POST', headers, body })
    return response.status
  }
  const statuses = await Promise.all(folder.keys.map(upload))
  expect(statuses).toEqual(Array(UPLOADS).fill(200))
  const peak_mb = await peakMemory(server.child.pid)
  server.child.kill('SIGTERM')
  await server.child.exited
  expect(peak_mb).toBeGreaterThan(20)
  expect(peak_mb).toBeLessThan(MAX_MB)
})
