// A TLS server on loopback that answers with the bytes of a test and counts its connections.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createServer, type TLSSocket } from 'node:tls'

export type Certificate = 'right' | 'another-name' | 'expired' | 'self-signed'

export interface TlsServer extends AsyncDisposable {
  readonly port: number
  /** Each request as received, with its body if it has one. */
  readonly requests: string[]
  /** Sockets opened, whether or not a handshake followed. */
  connections(): number
}

const FIXTURES = join(import.meta.dir, '../fixtures/tls')
const fixture = (name: string): string => readFileSync(join(FIXTURES, name), 'utf8')

export const AUTHORITY = fixture('authority.pem')

function isWhole(request: string): boolean {
  const end = request.indexOf('\r\n\r\n')
  const body_bytes = Number(/^content-length: (\d+)/im.exec(request)?.[1] ?? 0)
  return end >= 0 && request.length === end + 4 + body_bytes
}

/** @param answer called with the socket after a whole request */
export async function serveTls(
  answer: (socket: TLSSocket) => void,
  certificate: Certificate = 'right',
): Promise<TlsServer> {
  const requests: string[] = []
  const sockets = new Set<{ destroy(): unknown }>()
  let connections = 0
  const server = createServer(
    { key: fixture(`${certificate}.key`), cert: fixture(`${certificate}.pem`) },
    (socket) => {
      let head = ''
      sockets.add(socket)
      socket.on('error', () => socket.destroy())
      socket.on('data', (chunk: Buffer) => {
        head += chunk.toString('latin1')
        if (!isWhole(head)) return
        requests.push(head)
        answer(socket)
      })
    },
  )
  server.on('connection', () => {
    connections += 1
  })
  server.on('tlsClientError', () => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return {
    port: address.port,
    requests,
    connections: () => connections,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

/** A complete HTTP/1.1 answer; Content-Length is added unless `headers` has one. */
export function httpAnswer(
  body: Uint8Array | string,
  { status = '200 OK', headers = { 'content-type': 'image/png' } as Record<string, string> } = {},
): Buffer {
  const bytes = Buffer.from(body)
  const all: Record<string, string> = { 'content-length': String(bytes.length), ...headers }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.concat([Buffer.from(`HTTP/1.1 ${status}\r\n${lines.join('')}\r\n`), bytes])
}
