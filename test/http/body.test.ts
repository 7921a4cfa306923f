// The limit of request bodies: checked by Content-Length before they are read, or counted while they arrive without it.
import { describe, expect, test } from 'bun:test'
import { announcedBytes, readAtMost, readBytes } from '../../src/http/body.ts'

const LIMIT_BYTES = 2 * 1024 * 1024
const TOO_LARGE = {
  kind: 'payload_too_large',
  message: 'The request body is larger than 2 MB, the limit of this endpoint. Send less, or smaller images.',
}
const URL_ = 'http://host/'
const withLength = (bytes: number, length = bytes) =>
  new Request(URL_, {
    method: 'POST',
    body: new Uint8Array(bytes),
    headers: { 'content-length': String(length) },
  })
/** A body that arrives in chunks; `pulled` counts the requested ones. */
function chunked(chunks: number, chunk_bytes: number, end?: Error) {
  const seen = { pulled: 0, cancelled: false }
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (seen.pulled++ < chunks) controller.enqueue(new Uint8Array(chunk_bytes))
      else if (end) controller.error(end)
      else controller.close()
    },
    cancel() {
      seen.cancelled = true
    },
  })
  return { request: new Request(URL_, { method: 'POST', body }), seen }
}

describe('a body with a Content-Length', () => {
  test.each([0, 1, LIMIT_BYTES])('%d bytes are read', async (bytes) => {
    expect(announcedBytes(withLength(bytes), LIMIT_BYTES)).toBe(bytes)
    expect((await readBytes(withLength(bytes), LIMIT_BYTES)).length).toBe(bytes)
  })

  test('a byte above the limit is refused unread', async () => {
    const request = withLength(1, LIMIT_BYTES + 1)
    expect(() => announcedBytes(request, LIMIT_BYTES)).toThrow(expect.objectContaining(TOO_LARGE))
    expect(request.bodyUsed).toBe(false)
  })
})

describe('a body without a Content-Length', () => {
  test('counts as the limit until it is read', () => {
    expect(announcedBytes(chunked(1, 1).request, LIMIT_BYTES)).toBe(LIMIT_BYTES)
  })

  test('is read up to the limit', async () => {
    expect((await readBytes(chunked(4, LIMIT_BYTES / 4).request, LIMIT_BYTES)).length).toBe(LIMIT_BYTES)
  })

  test('is refused above the limit, and its rest is not read', async () => {
    const { request, seen } = chunked(1_000, LIMIT_BYTES / 4)
    expect(await readBytes(request, LIMIT_BYTES).catch((error: unknown) => error)).toMatchObject(TOO_LARGE)
    expect([seen.pulled < 20, seen.cancelled]).toEqual([true, true])
  })

  test('that is interrupted is a failure of the caller', async () => {
    const { request } = chunked(1, 10, new Error('reset'))
    expect(await readBytes(request, LIMIT_BYTES).catch((error: unknown) => error)).toMatchObject({
      kind: 'invalid_request',
      message: 'The request body is incomplete. Send it again.',
    })
  })

  test('is empty if it is missing', async () => {
    expect((await readBytes(new Request(URL_, { method: 'POST' }), LIMIT_BYTES)).length).toBe(0)
  })
})

test('readAtMost throws the error of its caller', async () => {
  const chunks = [new Uint8Array(3), new Uint8Array(3)]
  expect((await readAtMost(chunks, 6, () => new RangeError('never'))).length).toBe(6)
  const failed = await readAtMost(chunks, 5, (limit) => new RangeError(`over ${limit}`)).catch(
    (error: unknown) => error,
  )
  expect(failed).toEqual(new RangeError('over 5'))
})
