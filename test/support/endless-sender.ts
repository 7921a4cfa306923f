// A caller that sends an endless body until the gateway stops reading.
import { existsSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'

interface SentUntilClosed {
  /** The bytes of the body that were written before the connection closed, including those in the sockets' buffers. */
  sent_bytes: number
  /** The received bytes, as latin1. */
  answer: string
}

/** Each piece costs both sides a turn of the event loop. */
const PIECE_BYTES = 512 * 1024

/** The bytes that may count as sent although the other side never reads them: both sockets' buffers, and the last piece. */
export const MAX_UNREAD_BYTES = maxBufferBytes('tcp_rmem') + maxBufferBytes('tcp_wmem') + PIECE_BYTES

/** Returns the size up to which the system lets a socket's buffer grow: the third figure (tcp(7)). */
function maxBufferBytes(name: 'tcp_rmem' | 'tcp_wmem'): number {
  const file = `/proc/sys/net/ipv4/${name}`
  return existsSync(file) ? Number(readFileSync(file, 'utf8').trim().split(/\s+/)[2]) : 6 * 1024 * 1024
}

/**
 * @param head the request's lines, without one for the body's length
 * @param begins the beginning of the body, before its repeated pieces
 * @param announced_bytes its Content-Length; chunked if absent
 * @param stop_bytes the maximum number of bytes to send
 */
export async function sendEndlessly(
  { hostname, port }: Pick<URL, 'hostname' | 'port'>,
  head: readonly string[],
  body: { begins: string | Uint8Array; announced_bytes?: number; stop_bytes: number; filler?: string },
): Promise<SentUntilClosed> {
  const { begins, announced_bytes, stop_bytes, filler = 'A' } = body
  const socket = connect({ host: hostname, port: Number(port) })
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  // The other side is expected to close while bytes are on their way.
  socket.on('error', () => undefined)
  let answer = ''
  socket.on('data', (bytes) => {
    answer += bytes.toString('latin1')
  })
  const length =
    announced_bytes === undefined ? 'Transfer-Encoding: chunked' : `Content-Length: ${announced_bytes}`
  socket.write(`${[...head, length].join('\r\n')}\r\n\r\n`)
  const framed = (bytes: Uint8Array): Uint8Array =>
    announced_bytes === undefined
      ? Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')])
      : bytes
  const piece = framed(Buffer.alloc(PIECE_BYTES, filler))
  socket.write(framed(Buffer.from(begins)))
  let sent_bytes = begins.length
  while (sent_bytes < stop_bytes && !socket.destroyed && !socket.readableEnded) {
    const taken = socket.write(piece)
    sent_bytes += PIECE_BYTES
    if (!taken) await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), closed])
    // Lets the answer arrive.
    await new Promise((resolve) => setImmediate(resolve))
  }
  if (sent_bytes < stop_bytes) await closed
  socket.destroy()
  return { sent_bytes, answer }
}
