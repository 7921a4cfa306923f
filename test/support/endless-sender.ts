// A caller that sends an endless body until the gateway stops reading.
import { existsSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'

interface SentUntilClosed {
  /** Of the body, what went out before the connection was closed; what lies in the sockets' buffers counts. */
  sent_bytes: number
  /** All that came back, as latin1. */
  answer: string
}

/** Each costs both sides a turn. */
const PIECE_BYTES = 512 * 1024

/** Counted as sent, and never read by the other side: both sockets' buffers, and the last piece. */
export const MAX_UNREAD_BYTES = maxBufferBytes('tcp_rmem') + maxBufferBytes('tcp_wmem') + PIECE_BYTES

/** Returns the size up to which the system lets a socket's buffer grow: the third figure (tcp(7)). */
function maxBufferBytes(name: 'tcp_rmem' | 'tcp_wmem'): number {
  const file = `/proc/sys/net/ipv4/${name}`
  return existsSync(file) ? Number(readFileSync(file, 'utf8').trim().split(/\s+/)[2]) : 6 * 1024 * 1024
}

/**
 * @param head the request's lines, without one for the body's length
 * @param begins what the body begins with; then come its further pieces, over and over
 * @param announced_bytes its Content-Length; chunked where absent
 * @param stop_bytes how much is sent at most
 */
export async function sendEndlessly(
  { hostname, port }: Pick<URL, 'hostname' | 'port'>,
  head: readonly string[],
  body: { begins: string | Uint8Array; announced_bytes?: number; stop_bytes: number; filler?: string },
): Promise<SentUntilClosed> {
  const { begins, announced_bytes, stop_bytes, filler = 'A' } = body
  const socket = connect({ host: hostname, port: Number(port) })
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  // The other side closes while bytes are on their way: what is hoped for.
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
    // So that what comes back is seen.
    await new Promise((resolve) => setImmediate(resolve))
  }
  if (sent_bytes < stop_bytes) await closed
  socket.destroy()
  return { sent_bytes, answer }
}
