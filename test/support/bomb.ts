// A provider that sends decompression bombs: small compressed answers that expand without end.
import { createServer, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'

interface Bomb extends AsyncDisposable {
  url: string
  /** Sets the headers of answers, and their beginning before an endless rest. */
  answer(head: { content_type: string; begins: string; compressed: boolean }): void
  /** The uncompressed bytes sent of each answer that ended because the other side closed. */
  readonly ended: readonly number[]
}

const PIECE_BYTES = 2 * 1024 * 1024

/** A piece compresses to a sixteenth, so that a whole bomb still exceeds the sockets' buffers. */
function expandingPiece(): Buffer {
  const piece = Buffer.alloc(PIECE_BYTES, ' ')
  const noise = crypto.getRandomValues(new Uint8Array(48 * 1024)).map((byte) => 0x61 + (byte % 26))
  for (let at = 0; at < PIECE_BYTES; at += 1024 * 1024) piece.set(noise, at)
  return piece
}

/** @param expanded_bytes the maximum length of an answer */
export async function startBomb(expanded_bytes: number): Promise<Bomb> {
  const ended: number[] = []
  const piece = expandingPiece()
  const packed = gzipSync(piece)
  let current = { content_type: 'application/json', begins: '{', compressed: true }

  async function explode(socket: Socket): Promise<void> {
    const { content_type, begins, compressed } = current
    const encoding = compressed ? '\r\ncontent-encoding: gzip' : ''
    socket.write(`HTTP/1.1 200 OK\r\ncontent-type: ${content_type}${encoding}\r\nconnection: close\r\n\r\n`)
    socket.write(compressed ? gzipSync(begins) : begins)
    let sent_bytes = 0
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
    while (sent_bytes < expanded_bytes && !socket.destroyed) {
      const taken = socket.write(compressed ? packed : piece)
      sent_bytes += PIECE_BYTES
      if (!taken) await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), closed])
    }
    socket.end()
    await closed
    ended.push(sent_bytes)
  }

  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    // The gateway is expected to close the connection.
    socket.on('error', () => undefined)
    socket.once('data', () => void explode(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the provider has no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    ended,
    answer(next) {
      current = next
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}
