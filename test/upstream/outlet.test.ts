// The two outlets of a stream: how each treats a reader who is behind, who disconnects, or whose answer breaks off.
import { afterAll, describe, expect, test } from 'bun:test'
import { connect, type Socket } from 'node:net'
import { type Outlet, readableStream, socketStream } from '../../src/upstream/outlet.ts'

const PART = Buffer.alloc(64 * 1024, 'x')
/** More than all buffers between two sockets of one machine. */
const MANY_PARTS = 1_000

interface Flow {
  outlet: Outlet
  /** Resolves when the reader has disconnected. */
  left: Promise<void>
}

const flows: ((flow: Flow) => void)[] = []

function bodyOf(make: typeof socketStream): ReadableStream<Uint8Array> {
  const left = Promise.withResolvers<void>()
  return make({
    onStart: (outlet) => flows.shift()?.({ outlet, left: left.promise }),
    async onCancel() {
      left.resolve()
    },
  })
}

const WAYS = { socket: socketStream, readable: readableStream }
const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch: ({ url }) => new Response(bodyOf(url.endsWith('/socket') ? socketStream : readableStream)),
})
afterAll(() => server.stop(true))

/** A caller over a raw socket, who reads nothing before `read`, and the flow of the answer to them. */
async function callerOf(way: string): Promise<Flow & { socket: Socket; read: () => Promise<string> }> {
  const started = Promise.withResolvers<Flow>()
  flows.push(started.resolve)
  const socket = connect(server.port ?? 0, '127.0.0.1').pause()
  // A connection that is reset closes, too, and `read` waits for that.
  socket.on('error', () => undefined)
  socket.write(`GET /${way} HTTP/1.1\r\nHost: gateway\r\nConnection: close\r\n\r\n`)
  const read = async () => {
    const parts: Buffer[] = []
    const { promise, resolve } = Promise.withResolvers<void>()
    socket.on('data', (part) => parts.push(Buffer.from(part))).on('close', () => resolve())
    socket.resume()
    await promise
    return Buffer.concat(parts).toString('latin1')
  }
  return { ...(await started.promise), socket, read }
}

/** Writes until the reader is behind. @returns the bytes that were written, and the wait for the reader */
async function fill(outlet: Outlet): Promise<{ written_bytes: number; caught_up: Promise<unknown> }> {
  for (let count = 1; count <= MANY_PARTS; count++) {
    const caught_up = outlet.write(PART)
    if (!caught_up) continue
    const is_over = caught_up.then(() => 'on')
    const turns = async () => {
      for (let turn = 0; turn < 200; turn++) await new Promise((resolve) => setImmediate(resolve))
      return 'behind'
    }
    if ((await Promise.race([is_over, turns()])) === 'behind')
      return { written_bytes: count * PART.length, caught_up }
  }
  throw new Error('nothing holds the writer back')
}

const END_OF_CHUNKS = '\r\n0\r\n\r\n'
const bytesIn = (answer: string): number => answer.slice(answer.indexOf('\r\n\r\n')).split('x').length - 1

describe.each(Object.keys(WAYS))('%s', (way) => {
  test('a caller who reads gets all', async () => {
    const { outlet, read } = await callerOf(way)
    const answer = read()
    await outlet.write(Buffer.from('one'))
    await outlet.write(Buffer.from('two'))
    outlet.close()
    const got = await answer
    expect([got.includes('one'), got.includes('two')]).toEqual([true, true])
  })

  test('a caller who stalls holds the writer back; once they read they get every byte', async () => {
    const { outlet, read } = await callerOf(way)
    const { written_bytes, caught_up } = await fill(outlet)
    const answer = read()
    await caught_up
    outlet.close()
    const got = await answer
    expect([bytesIn(got), got.endsWith(END_OF_CHUNKS)]).toEqual([written_bytes, true])
  })

  test('an answer that is cut has no end', async () => {
    const { outlet, read } = await callerOf(way)
    const answer = read()
    await outlet.write(Buffer.from('one'))
    outlet.cut(new Error('broken off, for a test'))
    expect((await answer).endsWith(END_OF_CHUNKS)).toBe(false)
  })

  test('a caller who stalled is cut off all the same', async () => {
    const { outlet, read } = await callerOf(way)
    await fill(outlet)
    outlet.cut(new Error('stalled, for a test'))
    expect((await read()).endsWith(END_OF_CHUNKS)).toBe(false)
  })

  test.each([
    ['reads', false],
    ['has stalled', true],
  ] as const)('the outlet notices a caller who %s, and disconnects', async (_, stalled) => {
    const { outlet, left, socket } = await callerOf(way)
    if (stalled) await fill(outlet)
    else {
      socket.resume()
      await outlet.write(Buffer.from('one'))
    }
    socket.destroy()
    await left
    // A cut that comes too late has no effect, and is no failure.
    outlet.cut(new Error('gone, for a test'))
  })
})
