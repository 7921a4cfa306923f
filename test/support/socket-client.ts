// A caller over a raw socket, so that a test controls when and how it reads and disconnects.
import { connect, type Socket } from 'node:net'

/** How a caller disconnects: with FIN in both directions, with RST, or with FIN in the sending direction only. */
export type Departure = 'close' | 'reset' | 'half-close'

export interface SocketClient {
  /** All received bytes, heads and bodies, as latin1. */
  received(): string
  /** Resolves when this text has arrived `times` times; rejects if the connection ends first. */
  waitForText(text: string, times?: number): Promise<void>
  send(bytes: string | Uint8Array): void
  leave(how: Departure): void
  /** Stops reading, so that the peer's writes pile up. */
  pause(): void
  resume(): void
  /** Resolves when the peer has ended the connection, or it broke. */
  closed: Promise<void>
}

const LEAVE: Record<Departure, (socket: Socket) => void> = {
  close: (socket) => socket.destroy(),
  reset: (socket) => socket.resetAndDestroy(),
  'half-close': (socket) => socket.end(),
}

/** Connects to a server of this machine. */
export async function connectSocket({
  hostname,
  port,
}: Pick<URL, 'hostname' | 'port'>): Promise<SocketClient> {
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
  const closed = Promise.withResolvers<void>()
  const waiting = new Set<() => void>()
  let received = ''
  let ended = false
  const wake = () => {
    for (const look of waiting) look()
  }
  const end = () => {
    ended = true
    closed.resolve()
    wake()
  }
  socket.setNoDelay(true)
  socket.on('data', (bytes) => {
    received += bytes.toString('latin1')
    wake()
  })
  socket.on('end', end)
  socket.on('close', end)
  socket.on('error', end)
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', () => resolve())
    socket.once('error', reject)
  })
  return {
    received: () => received,
    waitForText(text, times = 1) {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const look = () => {
        if (received.split(text).length > times) resolve()
        else if (ended) reject(new Error(`the connection ended before ${JSON.stringify(text)}: ${received}`))
        else return
        waiting.delete(look)
      }
      waiting.add(look)
      look()
      return promise
    },
    send: (bytes) => void socket.write(bytes),
    leave: (how) => LEAVE[how](socket),
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
    closed: closed.promise,
  }
}

/** A POST of a JSON body, as it goes over the wire. */
export function rawPost(path: string, body: unknown, headers: Record<string, string>): string {
  const text = JSON.stringify(body)
  const all = {
    host: 'gateway.test',
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(text)),
    ...headers,
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n${text}`
}
