// Damaged images, on the disk or in the bucket: a changed byte is noticed at each read, so nobody gets the image as if it were whole.
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
  ['another first byte', () => BYTES.with(0, (BYTES[0] ?? 0) ^ 1)],
  ['another byte within', () => BYTES.with(100_000, (BYTES[100_000] ?? 0) ^ 128)],
  ['another last byte', () => BYTES.with(BYTES.length - 1, (BYTES.at(-1) ?? 0) ^ 1)],
  ['a missing end', () => BYTES.subarray(0, -1)],
  ['no bytes at all', () => new Uint8Array()],
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
  const isAvailable = name === 'a folder' || hasS3Server
  /** Stores an image, then replaces its bytes under the same row. */
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
        'a generated image, whole': () => readGeneration(library, { ...row, file_key: KEY }),
        'a generated image, as a stream': async () =>
          readStream(await openGeneration(library, { ...row, file_key: KEY })),
        'an upload, whole': () => readFile(library, { ...row, key: `files/${KEY}` }),
        'an upload, as a stream': async () =>
          readStream(await openFile(library, { ...row, key: `files/${KEY}` })),
      },
    }
  }
  const readStream = async (file: Awaited<ReturnType<typeof openFile>>) =>
    file && (await new Response(file.body()).bytes())

  test.if(isAvailable)('that is undamaged is read', async () => {
    const { readings } = await stored(BYTES)
    for (const read of Object.values(readings)) expect(await read()).toEqual(BYTES)
  })

  /** Requests ten bytes of the image, as routes send them. */
  async function requestPart(content: Uint8Array): Promise<Response> {
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

  test.if(isAvailable)('is compared whole, then sent as the requested part or as a whole', async () => {
    const answer = await requestPart(BYTES)
    const [status, bytes] = name === 'a folder' ? [206, BYTES.subarray(10, 20)] : [200, BYTES]
    expect([answer.status, await answer.bytes()]).toEqual([status, bytes])
  })

  test.if(isAvailable)('that is damaged is not sent in part', async () => {
    const [, content] = DAMAGE[1] ?? []
    if (!content) throw new Error('no damage')
    const answer = requestPart(content())
    if (name === 'a folder') expect((await answer).status).toBe(500)
    else await expect(answer).rejects.toThrow()
    const { library, row } = await stored(content())
    const file = await openGeneration(library, { ...row, file_key: KEY }).catch(() => undefined)
    // @ts-expect-error a part alone cannot prove that the whole is undamaged
    expect(name === 'a folder' ? file : file?.slice).toBeUndefined()
  })

  test.if(isAvailable).each(DAMAGE)('that has %s is refused, however it is read', async (_, content) => {
    const { readings } = await stored(content())
    for (const read of Object.values(readings)) await expect(read()).rejects.toMatchObject(DAMAGED)
  })
})
