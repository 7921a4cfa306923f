// A caller over a WebSocket: sends messages, and records the received messages and the close code.
import type { JsonObject } from '../../src/protocols/wire/json.ts'
import type { TestGateway } from './gateway.ts'

/** The types of events that end a response or replace it. */
const ENDS: ReadonlySet<unknown> = new Set([
  'response.completed',
  'response.incomplete',
  'response.failed',
  'error',
])

interface TestSocket {
  /** The runtime's own socket. */
  raw: WebSocket
  send(message: object | string | Uint8Array<ArrayBuffer>): void
  /** Waits for the next unread message. @throws Error if the socket closes before */
  next(): Promise<JsonObject>
  /** The next messages up to the end of a response, or an error. */
  untilEnd(): Promise<JsonObject[]>
  /** Requests a response and waits for its end. */
  create(fields: object): Promise<JsonObject[]>
  /** The close code and reason. */
  closed: Promise<{ code: number; reason: string }>
}

/** @throws Error if it is not opened */
export async function openSocket(
  { url }: Pick<TestGateway, 'url'>,
  {
    key,
    headers = {},
    path = '/v1/responses',
  }: { key: string; headers?: Record<string, string>; path?: string },
): Promise<TestSocket> {
  const address = new URL(path, url)
  address.protocol = 'ws:'
  const raw = new WebSocket(address, { headers: { authorization: `Bearer ${key}`, ...headers } })
  const waiting: JsonObject[] = []
  let arrival = Promise.withResolvers<void>()
  const opened = Promise.withResolvers<void>()
  const closed = Promise.withResolvers<{ code: number; reason: string }>()
  raw.onopen = () => opened.resolve()
  raw.onmessage = ({ data }) => {
    waiting.push(JSON.parse(String(data)))
    arrival.resolve()
  }
  raw.onclose = ({ code, reason }) => {
    closed.resolve({ code, reason })
    opened.reject(new Error(`the socket was not opened: ${code} ${reason}`))
    arrival.resolve()
  }
  await opened.promise
  const socket: TestSocket = {
    raw,
    send: (message) =>
      raw.send(
        typeof message === 'string' || message instanceof Uint8Array ? message : JSON.stringify(message),
      ),
    async next() {
      for (;;) {
        const message = waiting.shift()
        if (message) return message
        if (raw.readyState === WebSocket.CLOSED) throw new Error('the socket is closed')
        await arrival.promise
        arrival = Promise.withResolvers()
      }
    },
    async untilEnd() {
      const messages: JsonObject[] = []
      do messages.push(await socket.next())
      while (!ENDS.has(messages.at(-1)?.type))
      return messages
    },
    create(fields) {
      socket.send({ type: 'response.create', ...fields })
      return socket.untilEnd()
    },
    closed: closed.promise,
  }
  return socket
}
