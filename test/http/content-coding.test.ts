// The content coding of request bodies: each reader decodes it, unknown ones are refused, and a bomb stops at the limit.
import { describe, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import * as zlib from 'node:zlib'
import { announcedBytes, readBytes } from '../../src/http/body.ts'
import { bodyOf, codingOf } from '../../src/http/content-coding.ts'
import { readForm } from '../../src/http/multipart.ts'
import { readPaced } from '../../src/http/paced-body.ts'

const FAST = { level: 1 }
const ENCODE: Readonly<Record<string, (bytes: Uint8Array) => Uint8Array>> = {
  gzip: (bytes) => zlib.gzipSync(bytes, FAST),
  'x-gzip': (bytes) => zlib.gzipSync(bytes, FAST),
  deflate: (bytes) => zlib.deflateSync(bytes, FAST),
  'deflate without its header': (bytes) => zlib.deflateRawSync(bytes, FAST),
  br: (bytes) => zlib.brotliCompressSync(bytes, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 } }),
  zstd: zlib.zstdCompressSync,
}
const CODINGS = Object.entries(ENCODE).map(
  ([name, encode]) => [name, name.split(' ')[0] ?? '', encode] as const,
)
const MEGABYTE = 1024 * 1024
const LIMIT_BYTES = MEGABYTE

/** Far above the limit once decoded; encoded once for all tests. */
const BOMB = Buffer.alloc(64 * MEGABYTE)
const bombs = new Map<string, Uint8Array>()
const bombIn = (coding: string, encode: (bytes: Uint8Array) => Uint8Array): Uint8Array =>
  bombs.getOrInsertComputed(coding, () => encode(BOMB))

/** A request whose bytes arrive in pieces. */
function requestOf(
  bytes: Uint8Array,
  coding: string,
  { piece_bytes = bytes.length, type = 'application/json' } = {},
) {
  const counts = { pulled: 0 }
  let at = 0
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (at >= bytes.length) return controller.close()
        counts.pulled++
        controller.enqueue(bytes.slice(at, at + piece_bytes))
        at += piece_bytes
      },
    },
    { highWaterMark: 0 },
  )
  const headers = { 'content-encoding': coding, 'content-length': String(bytes.length), 'content-type': type }
  return { request: new Request('http://gateway.test', { method: 'POST', headers, body }), counts }
}

const READERS: Readonly<Record<string, (request: Request) => Promise<Uint8Array>>> = {
  'at once': (request) => readBytes(request, LIMIT_BYTES),
  'part by part': (request) => readPaced(request, { limit_bytes: LIMIT_BYTES, admit: () => undefined }),
}
const READ = Object.entries(READERS)
const CASES = CODINGS.flatMap(([name, coding, encode]) =>
  READ.map(([how, read]) => ({ name, coding, encode, how, read })),
)

describe.each(CASES)('a body in $name, read $how', ({ name, coding, encode, read }) => {
  const text = Buffer.from(JSON.stringify({ input: 'Why? '.repeat(10_000), é: '“”' }))
  test.each([1_000_000, 7])('is decoded, in pieces of %d bytes', async (piece_bytes) => {
    expect(
      Buffer.from(await read(requestOf(encode(text), coding, { piece_bytes }).request)).equals(text),
    ).toBe(true)
  })
  test('is refused with 400 if it is invalid', async () => {
    const { request } = requestOf(Buffer.from('{"input":"Why?"}, which was never encoded'), coding)
    await expect(read(request)).rejects.toMatchObject({
      kind: 'invalid_request',
      message: expect.stringMatching(/not valid (gzip|deflate|br|zstd)/),
    })
  })
  test('is refused with 400 if it is truncated', async () => {
    const bytes = encode(text)
    const { request } = requestOf(bytes.subarray(0, Math.floor(bytes.length / 2)), coding)
    // The runtime's decoder of zstd does not notice; the readers of JSON and forms refuse truncated ones.
    if (coding === 'zstd') expect((await read(request)).length).toBeLessThan(text.length)
    else await expect(read(request)).rejects.toMatchObject({ kind: 'invalid_request' })
  })
  test('is refused with 413 if it decodes to more than the limit, and little more than that is decoded', async () => {
    const { request } = requestOf(bombIn(name, encode), coding)
    await expect(read(request)).rejects.toMatchObject({ kind: 'payload_too_large' })
  })
})

test.each(CODINGS)('a body in %s is read only as far as its reader reads', async (_, coding, encode) => {
  const bytes = encode(randomBytes(MEGABYTE))
  const { request, counts } = requestOf(bytes, coding, { piece_bytes: bytes.length / 64 })
  const reader = bodyOf(request)?.getReader()
  await reader?.read()
  // Time to read too much: no event shows that nothing more is read.
  await Bun.sleep(20)
  expect(counts.pulled).toBeLessThanOrEqual(12)
  await reader?.cancel()
})

test('an interrupted body has its own error', async () => {
  const cause = new Error('reset')
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      controller.error(cause)
    },
  })
  const headers = { 'content-encoding': 'gzip' }
  const request = new Request('http://gateway.test', { method: 'POST', headers, body })
  await expect(bodyOf(request)?.getReader().read()).rejects.toBe(cause)
})

describe('before the body is read', () => {
  const refused = ['compress', 'gzip, br', 'gzip,gzip', 'zip', '*', 'identity;q=1'].map(
    (coding) => [coding] as const,
  )
  test.each(refused)('the coding %s is refused with 415', (coding) => {
    const { request, counts } = requestOf(Buffer.from('{}'), coding)
    expect(() => announcedBytes(request, LIMIT_BYTES)).toThrow(/Content-Encoding: must be one of/)
    expect(counts.pulled).toBe(0)
  })
  test.each([
    ['identity', undefined],
    ['', undefined],
    ['GZIP', 'gzip'],
    ['identity, zstd', 'zstd'],
  ])('Content-Encoding %p is the coding %p', (header, coding) => {
    const headers = new Headers({ 'content-encoding': header })
    expect(codingOf({ headers })).toBe(coding as never)
  })
  test('encoded bytes above the limit are refused with 413', () => {
    const { request } = requestOf(Buffer.alloc(LIMIT_BYTES + 1), 'gzip')
    expect(() => announcedBytes(request, LIMIT_BYTES)).toThrow(/larger than 1 MB/)
  })
  test('an encoded body of any length may decode to the limit', () => {
    expect(announcedBytes(requestOf(Buffer.alloc(9), 'gzip').request, LIMIT_BYTES)).toBe(LIMIT_BYTES)
  })
})

describe.each(CODINGS)('a form in %s', (_, coding, encode) => {
  const form = (file: string) =>
    Buffer.from(
      `--b\r\ncontent-disposition: form-data; name="prompt"\r\n\r\na cat\r\n--b\r\ncontent-disposition: form-data; name="image"; filename="a.png"\r\ncontent-type: image/png\r\n\r\n${file}\r\n--b--\r\n`,
    )
  const read = async (bytes: Uint8Array) => {
    const seen: Record<string, number | string> = {}
    await readForm(
      requestOf(bytes, coding, { type: 'multipart/form-data; boundary=b', piece_bytes: 100 }).request,
      {
        body_limit_bytes: LIMIT_BYTES,
        max_files: 1,
        max_fields: 1,
        gone: new AbortController().signal,
        field: (name, value) => {
          seen[name] = value
        },
        async file({ field, content }) {
          let bytes_read = 0
          for await (const part of content) bytes_read += part.length
          seen[field] = bytes_read
        },
      },
    )
    return seen
  }
  test('is decoded', async () => {
    expect(await read(encode(form('x'.repeat(300_000))))).toEqual({ prompt: 'a cat', image: 300_000 })
  })
  test('is refused with 413 if it is too long once decoded', async () => {
    await expect(read(encode(form('x'.repeat(2 * MEGABYTE))))).rejects.toMatchObject({
      kind: 'payload_too_large',
    })
  })
  test('is refused with 400 if it is damaged', async () => {
    await expect(read(form('x'))).rejects.toMatchObject({ kind: 'invalid_request' })
  })
})
