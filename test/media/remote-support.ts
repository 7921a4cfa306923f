// Helpers for the tests of the guarded fetch: a fetch whose sockets end at a test server, and answers in pieces.
import type { TLSSocket } from 'node:tls'
import type { RemoteSeams } from '../../src/media/public-request.ts'
import { createRemoteFetch, type FetchImage } from '../../src/media/remote.ts'
import { AUTHORITY, type TlsServer } from './tls-server.ts'

export const URL_TEXT = 'https://images.example.com/a.png?size=2'
export const PUBLIC_ADDRESSES = ['93.184.216.34', '2606:4700::1111']

/** A fetch for which images.example.com has public addresses, and whose sockets end at the server. */
export function fetchFrom(server: Pick<TlsServer, 'port'>, seams: RemoteSeams = {}): FetchImage {
  return createRemoteFetch({
    ca: AUTHORITY,
    resolve: async () => PUBLIC_ADDRESSES,
    dial: () => ({ addresses: ['127.0.0.1'], port: server.port }),
    ...seams,
  })
}

/** Sends an answer in pieces, and then either keeps the connection open or closes it. */
export const send =
  (...pieces: (Uint8Array | string | 'hang up')[]) =>
  (socket: TLSSocket): void => {
    for (const piece of pieces) {
      if (piece === 'hang up') socket.end()
      else socket.write(piece)
    }
  }

export const MEGABYTE = new Uint8Array(1024 * 1024)
export const head = (...lines: string[]): string =>
  `HTTP/1.1 200 OK\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n`
export const chunked = (bytes: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')])
