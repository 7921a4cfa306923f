// A hanging bucket, over real sockets: no operation waits longer than the limit.
import { afterAll, describe, expect, test } from 'bun:test'
import { bucketPlace } from '../../plugins/backups/places/bucket.ts'

/** @param reply to a request; undefined: the bucket stays silent */
function bucketThat(reply: (request: string) => string | undefined) {
  const server = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      data(socket, request) {
        const text = reply(request.toString('latin1'))
        if (text !== undefined) socket.write(text)
      },
    },
  })
  afterAll(() => server.stop(true))
  return bucketPlace(
    {
      bucket: 'backups',
      endpoint: `http://127.0.0.1:${server.port}`,
      region: 'us-east-1',
      prefix: 'home/',
      access_key_id: 'tester',
      secret_access_key: 'a-secret-of-the-bucket',
    },
    { answer_ms: 300, least_bytes_per_s: Number.POSITIVE_INFINITY },
  )
}

const SILENT = 'has been silent for'
const NOT_THERE = 'HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n'
const HALF_OF_IT = 'HTTP/1.1 200 OK\r\nETag: "x"\r\nContent-Length: 1000\r\n\r\nhalf of it'
async function* content(bytes: number) {
  for (let sent = 0; sent < bytes; sent += 65_536) yield new Uint8Array(65_536)
}

describe('a bucket that never answers', () => {
  const place = bucketThat(() => undefined)
  test.each([
    ['the check', () => place.check()],
    ['the list', () => place.list()],
    ['an upload', () => place.put('x', content(65_536), 65_536)],
    ['a download', () => place.open('x')],
    ['a deletion', () => place.remove('x')],
  ] as const)('%s', async (_what, ask) => {
    await expect(ask() as Promise<unknown>).rejects.toThrow(SILENT)
  })
})

describe('a bucket that accepts no upload', () => {
  const place = bucketThat((request) => (request.startsWith('HEAD ') ? NOT_THERE : undefined))
  test.each([
    ['in one part', 65_536],
    ['in many parts', 64 * 1024 * 1024],
  ])('%s', async (_what, bytes) => {
    await expect(place.put('x', content(bytes), bytes)).rejects.toThrow(SILENT)
  })
})

test('a bucket that stops in the middle of an archive', async () => {
  const place = bucketThat(() => HALF_OF_IT)
  const read = async () => await Array.fromAsync(await place.open('x'))
  await expect(read()).rejects.toThrow(SILENT)
})
