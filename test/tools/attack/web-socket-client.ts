// A hostile caller over a WebSocket, on a bare socket: frames of any kind, complete or not (RFC 6455, 5.2).
import { connectSocket, type SocketClient } from '../../support/socket-client.ts'

const LENGTH_IN_16_BITS = 126
const LENGTH_IN_64_BITS = 127
const MASKED = 0x80
const MASK_BYTES = 4
const FINAL = 0x80
const COMPRESSED = 0x40

interface FrameOptions {
  /** 1: text, 2: binary. */
  opcode?: number
  /** The frame's mark of compression. */
  is_compressed?: boolean
  /** The announced length, if it differs from the real one. */
  declared_bytes?: number
  /** Required of callers' frames. */
  is_masked?: boolean
}

/** A frame with a mask of zeros, which leaves the bytes unchanged. */
export function frameOf(payload: string | Uint8Array, options: FrameOptions = {}): Buffer {
  const { opcode = 1, is_compressed = false, is_masked = true } = options
  const body = Buffer.from(payload)
  const { declared_bytes = body.length } = options
  const mask = is_masked ? MASKED : 0
  const first = FINAL | (is_compressed ? COMPRESSED : 0) | opcode
  const head = [first, mask | (declared_bytes < LENGTH_IN_16_BITS ? declared_bytes : LENGTH_IN_64_BITS)]
  if (declared_bytes >= LENGTH_IN_16_BITS) {
    const length = Buffer.alloc(8)
    length.writeBigUInt64BE(BigInt(declared_bytes))
    head.push(...length)
  }
  if (is_masked) head.push(...Buffer.alloc(MASK_BYTES))
  return Buffer.concat([Buffer.from(head), body])
}

export const createOf = (fields: object): string => JSON.stringify({ type: 'response.create', ...fields })

/** The request that opens a WebSocket. */
export function handshakeOf(key: string): string {
  const headers = {
    host: 'gateway.test',
    authorization: `Bearer ${key}`,
    upgrade: 'websocket',
    connection: 'Upgrade',
    'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    'sec-websocket-version': '13',
    'sec-websocket-extensions': 'permessage-deflate; client_max_window_bits',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return `GET /v1/responses HTTP/1.1\r\n${lines.join('')}\r\n`
}

/** @returns a socket whose handshake was answered, with any status */
export async function connectWebSocket(url: URL, key: string): Promise<SocketClient & { is_open: boolean }> {
  const client = await connectSocket(url)
  client.send(handshakeOf(key))
  await client.waitForText('\r\n\r\n')
  return Object.assign(client, { is_open: client.received().startsWith('HTTP/1.1 101') })
}
