// Large bodies are read within a memory budget: the process stays below 1 GB with 16 of 100 MB at once.
// In long runs only: TOLLGATE_LONG=1
import { expect, test } from 'bun:test'
import { startServer } from '../crash/process.ts'
import { catalogueOf, PICTURE } from '../support/catalogue.ts'
import { prepareDataFolder } from '../support/data-folder.ts'
import { IS_LONG } from '../support/long.ts'
import { peakMemory } from '../support/memory.ts'
import { COMPOSE, dataUri, PNG } from './support.ts'

const BODIES = 16
const MEGABYTE = 1024 * 1024
const MAX_MB = 1_000

/** A body of 100 MB with three images, each of which is allowed, but not all of them together. */
function largestBody(): Buffer {
  const image_urls = [1, 2, 3].map((mark) => {
    const image = Buffer.alloc(24.9 * MEGABYTE, mark)
    PNG.copy(image)
    return dataUri(image)
  })
  const body = Buffer.from(JSON.stringify({ model: PICTURE, prompt: 'ein Häuschen', image_urls }))
  return Buffer.concat([body, Buffer.alloc(100 * MEGABYTE - body.length, ' ')])
}

test.skipIf(!IS_LONG)(
  `${BODIES} compose bodies of 100 MB at once keep the process below 1 GB, and each is answered`,
  async () => {
    using folder = await prepareDataFolder(
      catalogueOf({ upstream_url: 'simulator', server: 'listen = "127.0.0.1:0"' }),
    )
    const server = await startServer(folder.path, 'none', 1)
    const headers = { authorization: `Bearer ${folder.keys[0]}`, 'content-type': 'application/json' }
    const body = largestBody()
    const answers = await Promise.all(
      Array.from({ length: BODIES }, async () => {
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
  },
  120_000,
)
