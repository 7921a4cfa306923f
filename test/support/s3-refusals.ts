// A proxy in front of an S3 server that refuses some requests, as for a key with limited rights.
import type { Socket } from 'bun'
import type { S3Server } from './s3-server.ts'

interface RefusingProxy extends Disposable {
  endpoint: string
  /** The number of refused requests. */
  refused(): number
}

const BODY = '<?xml version="1.0"?><Error><Code>AccessDenied</Code><Message>No.</Message></Error>'
const REFUSAL = `HTTP/1.1 403 Forbidden\r\nContent-Type: application/xml\r\nContent-Length: ${BODY.length}\r\nConnection: close\r\n\r\n${BODY}`

interface Pair {
  other: Socket<Pair> | undefined
  waiting: Uint8Array[]
}

/** @param isRefused gets the beginning of each request, such as `PUT /bucket/key` */
export function startRefusingProxy(server: S3Server, isRefused: (request: string) => boolean): RefusingProxy {
  const { hostname, port } = new URL(server.endpoint)
  let refused = 0
  const listener = Bun.listen<Pair>({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      async open(socket) {
        socket.data = { other: undefined, waiting: [] }
        const there = await Bun.connect<Pair>({
          hostname,
          port: Number(port),
          data: { other: socket, waiting: [] },
          socket: { data: (_, bytes) => void socket.write(bytes), close: () => void socket.end() },
        })
        socket.data.other = there
        for (const bytes of socket.data.waiting) there.write(bytes)
      },
      data(socket, bytes) {
        if (isRefused(bytes.toString('latin1', 0, 300))) {
          refused += 1
          socket.write(REFUSAL)
          socket.end()
        } else if (socket.data.other) socket.data.other.write(bytes)
        else socket.data.waiting.push(new Uint8Array(bytes))
      },
      close: (socket) => void socket.data.other?.end(),
    },
  })
  return {
    endpoint: `http://127.0.0.1:${listener.port}`,
    refused: () => refused,
    [Symbol.dispose]: () => listener.stop(true),
  }
}
