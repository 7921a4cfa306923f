// The common behavior of both file stores, in a folder and in a bucket of a real S3 server: the gateway uses them alike.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { createHash, randomUUID } from 'node:crypto'
import { invalidRequest } from '../../src/domain/errors.ts'
import { bodyOf } from '../../src/domain/stored-bytes.ts'
import { freedOnceRead } from '../../src/http/free-bytes.ts'
import { type BucketFiles, openBucketFiles } from '../../src/media/bucket-store.ts'
import { createFileStore, type FileStore } from '../../src/media/store.ts'
import { hasS3Server, partOf, sharedS3Server } from '../support/s3-server.ts'
import { type TemporaryFolder, temporary } from '../support/temporary.ts'
import { refusalOf } from './support.ts'

const KEY = `7/${randomUUID()}_cat.png`
const MB = 1024 * 1024

const text = (content: string): Uint8Array => new TextEncoder().encode(content)
const sha256 = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex')

/** Chunks, each a Buffer of its own, as sockets give them. */
async function* chunksOf(content: Uint8Array, chunk_bytes = 64 * 1024): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < content.length; at += chunk_bytes)
    yield Buffer.from(new Uint8Array(content.subarray(at, at + chunk_bytes)).buffer)
}

/** Bytes of which no two pieces are alike. */
function pattern(length: number): Uint8Array {
  const bytes = new Uint8Array(length)
  new Uint32Array(bytes.buffer, 0, length >> 2).forEach((_, index, words) => {
    words[index] = Math.imul(index, 2_654_435_761)
  })
  return bytes
}

async function* brokenAfter(bytes: number): AsyncGenerator<Uint8Array> {
  yield* chunksOf(new Uint8Array(bytes))
  throw invalidRequest('the caller has left')
}

describe.each(['folder', 'bucket'] as const)('a %s', (kind) => {
  const skipped = kind === 'bucket' && !hasS3Server
  let folder: TemporaryFolder
  let bucket: BucketFiles | undefined
  let store: FileStore
  beforeAll(() => {
    folder = temporary()
  })
  beforeEach(async () => {
    if (skipped) return
    bucket = kind === 'bucket' ? openBucketFiles(partOf(await sharedS3Server())) : undefined
    store = bucket?.store('files') ?? createFileStore(folder.at(randomUUID()))
  })
  afterAll(() => folder[Symbol.dispose]())

  const read = async (key: string) => {
    const bytes = await (await store.open(key))?.bytes()
    return bytes && new TextDecoder().decode(bytes)
  }
  const keys = async () => (await Array.fromAsync(store.list())).map(({ key }) => key).toSorted()

  const it = test.skipIf(skipped)

  it.each([
    ['no bytes', new Uint8Array()],
    ['a few bytes', text('a cat')],
    ['many bytes', pattern(12 * MB + 3)],
  ])('%s, at once and as a stream, are counted, hashed, and read back', async (_, content) => {
    for (const [key, source] of [
      ['7/whole.png', content],
      ['7/streamed.png', freedOnceRead(chunksOf(content))],
    ] as const) {
      expect(await store.put(key, source)).toEqual({ bytes: content.length, sha256: sha256(content) })
      const file = await store.open(key)
      expect(file?.size).toBe(content.length)
      expect(sha256((await file?.bytes()) ?? text('none'))).toBe(sha256(content))
      expect(sha256(Buffer.concat(await Array.fromAsync(file?.stream() ?? [])))).toBe(sha256(content))
    }
  })

  it.each([
    [0, 5, 'a cat'],
    [2, 5, 'cat'],
    [2, 4, 'ca'],
    [3, 99, 'at'],
    [5, 9, ''],
  ])('reads a part of a file: from %d to %d', async (start, end, expected) => {
    await store.put(KEY, text('a cat'))
    const part = (await store.open(KEY))?.slice(start, end)
    expect(part?.size).toBe(expected.length)
    expect(new TextDecoder().decode(await part?.bytes())).toBe(expected)
    expect(await new Response(part?.stream()).text()).toBe(expected)
    expect(new TextDecoder().decode(await part?.slice(1, 2).bytes())).toBe(expected.slice(1, 2))
  })

  it('is answered as bytes, without a word about their place', async () => {
    await store.put(KEY, text('a cat'))
    const server = Bun.serve({
      port: 0,
      fetch: async () => new Response(bodyOf((await store.open(KEY)) ?? ''), { headers: { 'x-a': 'b' } }),
    })
    const answer = await fetch(server.url, { redirect: 'manual' })
    expect([answer.status, await answer.text()]).toEqual([200, 'a cat'])
    expect(answer.headers.get('location')).toBe(null)
    await server.stop(true)
  })

  it('replaces a file of the same key', async () => {
    await store.put(KEY, text('one'))
    await store.put(KEY, text('two'))
    expect(await read(KEY)).toBe('two')
    expect(await keys()).toEqual([KEY])
  })

  it('a missing file is undefined, and may be removed', async () => {
    expect(await store.open(KEY)).toBeUndefined()
    expect(await store.has(KEY)).toBe(false)
    await store.remove(KEY)
    await store.put(KEY, text('a cat'))
    expect(await store.has(KEY)).toBe(true)
    await store.remove(KEY)
    expect([await store.has(KEY), await keys()]).toEqual([false, []])
  })

  it('lists files with their size and time', async () => {
    const before_ms = Date.now() - 2_000
    for (const [key, content] of [
      ['1/a.png', 'a'],
      ['10/b.png', 'bb'],
      ['c', ''],
    ] as const)
      await store.put(key, text(content))
    const listed = await Array.fromAsync(store.list())
    expect(listed.map(({ key, bytes }) => [key, bytes]).toSorted()).toEqual([
      ['1/a.png', 1],
      ['10/b.png', 2],
      ['c', 0],
    ])
    for (const { modified_at_ms } of listed) {
      expect(modified_at_ms).toBeGreaterThan(before_ms)
      expect(modified_at_ms).toBeLessThan(Date.now() + 2_000)
    }
  })

  it("removes all files of one account, and no other's", async () => {
    for (const key of ['1/a.png', '1/b.png', '10/a.png']) await store.put(key, text('a'))
    await store.removeAllOf('1')
    expect(await keys()).toEqual(['10/a.png'])
    await store.removeAllOf('2')
    await expect(store.removeAllOf('..')).rejects.toThrow('malformed')
  })

  it.each([
    ['at once', (bytes: number) => new Uint8Array(bytes)],
    ['as a stream', (bytes: number) => chunksOf(new Uint8Array(bytes))],
  ])('refuses content over the cap, and keeps the earlier file: %s', async (_, content) => {
    await store.put(KEY, text('before'))
    for (const cap_bytes of [100_000, 11 * MB]) {
      expect((await refusalOf(() => store.put(KEY, content(cap_bytes + 1), { cap_bytes }))).code).toBe(
        'IMAGE_TOO_LARGE',
      )
      expect(await read(KEY)).toBe('before')
    }
    expect(await store.put('7/other.png', content(100_000), { cap_bytes: 100_000 })).toMatchObject({
      bytes: 100_000,
    })
  })

  it.each([0, 100_000, 11 * MB])('leaves nothing of content that fails after %d bytes', async (bytes) => {
    await expect(store.put(KEY, brokenAfter(bytes))).rejects.toThrow('the caller has left')
    expect([await store.has(KEY), await keys()]).toEqual([false, []])
    expect(bucket?.isFailing() ?? false).toBe(false)
  })

  it.each(['', '../a', '/a', 'a//b', '.hidden', 'a/../b', 'a b', 'ä'])('refuses the key %p', async (key) => {
    for (const ask of [
      () => store.put(key, text('x')),
      () => store.open(key),
      () => store.has(key),
      () => store.remove(key),
    ])
      expect((await refusalOf(ask)).code).toBe('invalid_image_key')
  })

  it('writes many files at once', async () => {
    const contents = Array.from({ length: 30 }, (_, index) => `${index}`.repeat(index + 1))
    await Promise.all(
      contents.map((content, index) => store.put(`${index % 3}/${index}.png`, chunksOf(text(content)))),
    )
    for (const [index, content] of contents.entries())
      expect(await read(`${index % 3}/${index}.png`)).toBe(content)
    expect((await keys()).length).toBe(30)
  })
})
