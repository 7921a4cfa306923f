// A byte of a stored image that changed, on the disk or in the bucket, is noticed when it is read: nobody gets the image as if it were whole.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { imageAnswer } from '../../src/http/image-answer.ts'
import { openFile, readFile } from '../../src/library/files.ts'
import { openGeneration, readGeneration } from '../../src/library/generations.ts'
import { type BucketFiles, openBucketFiles } from '../../src/media/bucket-store.ts'
import { createFileStore, type FileStore } from '../../src/media/store.ts'
import { dbOver } from '../../src/store/engines/sqlite/sqlite.ts'
import { memoryDatabase } from '../support/empty-database.ts'
import { hasS3Server, partOf, type S3Server, startS3Server } from '../support/s3-server.ts'
import { temporary } from '../support/temporary.ts'

const BYTES = crypto.getRandomValues(new Uint8Array(200_000))
const KEY = '1/6f1b9c2e-9df0-4f8e-9a53-3f0f6f9d0b11.png'
const DAMAGE: [name: string, content: () => Uint8Array][] = [
  ['the first byte', () => BYTES.with(0, (BYTES[0] ?? 0) ^ 1)],
  ['a byte within', () => BYTES.with(100_000, (BYTES[100_000] ?? 0) ^ 128)],
  ['the last byte', () => BYTES.with(BYTES.length - 1, (BYTES.at(-1) ?? 0) ^ 1)],
  ['the end, which is gone', () => BYTES.subarray(0, -1)],
  ['all, which is gone', () => new Uint8Array()],
]
const DAMAGED = { kind: 'internal', code: 'image_damaged', message: expect.stringContaining('is damaged') }

let s3: S3Server | undefined
let bucket: BucketFiles | undefined
const folder = temporary()
beforeAll(async () => {
  if (!hasS3Server) return
  s3 = await startS3Server('files')
  bucket = openBucketFiles(partOf(s3))
})
afterAll(async () => {
  bucket?.stop()
  await s3?.[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

const STORES: [name: string, storeOf: () => FileStore | undefined][] = [
  ['a folder', () => createFileStore(folder.path)],
  ['a bucket', () => bucket?.store('images')],
]

describe.each(STORES)('an image in %s', (name, storeOf) => {
  const isThere = name === 'a folder' || hasS3Server
  /** The image as its row has it, and as it is now. */
  async function stored(content: Uint8Array) {
    const store = storeOf()
    if (!store) throw new Error('no store')
    const { sha256 } = await store.put(KEY, BYTES)
    await store.put(KEY, content)
    const library = { db: dbOver(memoryDatabase()), images: store, files: store, now: Date.now }
    const row = { id: 1, sha256, missing_since_ms: null }
    return {
      library,
      row,
      readings: {
        'a produced one, whole': () => readGeneration(library, { ...row, file_key: KEY }),
        'a produced one, as it is sent': async () =>
          sent(await openGeneration(library, { ...row, file_key: KEY })),
        'an upload, whole': () => readFile(library, { ...row, key: `files/${KEY}` }),
        'an upload, as it is sent': async () =>
          sent(await openFile(library, { ...row, key: `files/${KEY}` })),
      },
    }
  }
  const sent = async (file: Awaited<ReturnType<typeof openFile>>) =>
    file && (await new Response(file.body()).bytes())

  test.if(isThere)('that is as it was stored is read', async () => {
    const { readings } = await stored(BYTES)
    for (const read of Object.values(readings)) expect(await read()).toEqual(BYTES)
  })

  /** The answer to a request for ten bytes of it, as routes send images. */
  async function part(content: Uint8Array): Promise<Response> {
    const { library, row } = await stored(content)
    await using server = Bun.serve({
      port: 0,
      error: () => new Response('damaged', { status: 500 }),
      async fetch() {
        const file = await openFile(library, { ...row, key: `files/${KEY}` })
        return imageAnswer({ body: file?.body() ?? new Blob(), mime: 'image/png', filename: 'a.png' })
      },
    })
    const answer = await fetch(server.url, { headers: { range: 'bytes=10-19' } })
    return new Response(await answer.bytes(), answer)
  }

  test.if(isThere)('a part comes of an image that was compared whole, or the whole', async () => {
    const answer = await part(BYTES)
    const [status, bytes] = name === 'a folder' ? [206, BYTES.subarray(10, 20)] : [200, BYTES]
    expect([answer.status, await answer.bytes()]).toEqual([status, bytes])
  })

  test.if(isThere)('no part comes of a damaged one', async () => {
    const [, content] = DAMAGE[1] ?? []
    if (!content) throw new Error('no damage')
    const answer = part(content())
    if (name === 'a folder') expect((await answer).status).toBe(500)
    else await expect(answer).rejects.toThrow()
    const { library, row } = await stored(content())
    const file = await openGeneration(library, { ...row, file_key: KEY }).catch(() => undefined)
    // @ts-expect-error a part alone says nothing of the whole
    expect(name === 'a folder' ? file : file?.slice).toBeUndefined()
  })

  test.if(isThere).each(DAMAGE)('of which %s changed is refused, however it is read', async (_, content) => {
    const { readings } = await stored(content())
    for (const read of Object.values(readings)) await expect(read()).rejects.toMatchObject(DAMAGED)
  })
})
