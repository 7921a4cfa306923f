// Sending answers over a WebSocket: events and failures become messages with the name of their lane, at the pace of the reader.
import type { CallerSocket } from '../../../src/http/sockets.ts'
import { type ByteString, decodeByteString, toByteString } from '../../../src/protocols/wire/byte-string.ts'
import { type Json, type JsonObject, objectIn, parseObject } from '../../../src/protocols/wire/json.ts'
import { EventCutter, EventWalk } from '../../../src/protocols/wire/sse.ts'

/** Converts the bytes of a streamed answer into messages, one per event. */
class EventMessages {
  readonly #cutter = new EventCutter()
  readonly #lane: string | undefined

  constructor(lane: string | undefined) {
    this.#lane = lane
  }

  *of(chunk: Uint8Array): Generator<string> {
    const whole = this.#cutter.cut(chunk)
    if (!whole) return
    const walk = new EventWalk(toByteString(whole))
    while (walk.next()) yield this.#message(walk.data)
  }

  #message(data: ByteString): string {
    const text = decodeByteString(data)
    return this.#lane === undefined ? text : `{"stream_id":${JSON.stringify(this.#lane)},${text.slice(1)}`
  }
}

/** Headers of an answer that differs from the request. */
const DIFFERENCES = ['x-tollgate-dropped', 'x-tollgate-output-limit']
const ABOUT_ANSWER = ['x-request-id', 'x-tollgate-upstream-model', ...DIFFERENCES]

/**
 * Makes an event with the headers of an answer that differs from the request, in OpenAI's format for WebSockets, which Codex reads; the
 * SDKs' types do not have it. For other answers there is no such event.
 */
function metadataMessage({ headers }: Response, lane: string | undefined): string | undefined {
  if (!DIFFERENCES.some((name) => headers.has(name))) return undefined
  return JSON.stringify({
    type: 'response.metadata',
    stream_id: lane,
    headers: headersNamed(headers, ABOUT_ANSWER),
  })
}

function headersNamed(headers: Headers, names: readonly string[]): JsonObject {
  const named: JsonObject = {}
  for (const name of names) {
    const value = headers.get(name)
    if (value !== null) named[name] = value
  }
  return named
}

/** Headers of a failure to include in its event: npm openai, `ResponseWsError`; Codex, `WrappedWebsocketErrorEvent`. */
const FAILURE_HEADERS = ['retry-after', 'x-request-id']

/** Converts a failure in the surface's format into an event. */
export async function errorMessage(answer: Response, lane: string | undefined): Promise<string> {
  const { error } = objectIn(parseObject(await answer.text()))
  return JSON.stringify({
    type: 'error',
    status: answer.status,
    stream_id: lane,
    error: error ?? null,
    headers: headersNamed(answer.headers, FAILURE_HEADERS),
  })
}

const isStream = ({ headers }: Response): boolean =>
  headers.get('content-type')?.startsWith('text/event-stream') ?? false

/** The answer to requests on a connection that has reached its maximum age. Clients reconnect because of its code. */
export const TOO_OLD = JSON.stringify({
  type: 'error',
  status: 400,
  error: {
    type: 'invalid_request_error',
    code: 'websocket_connection_limit_reached',
    message: 'This WebSocket has been open for 60 minutes, the longest it may be. Connect again to go on.',
    param: null,
  },
})

/** The answer to a steer, which no model of the gateway supports: npm openai, `ResponseSteerFailedEvent`. */
export const steerFailed = (steer: { previous_response_id: Json; input: Json }): string =>
  JSON.stringify({
    type: 'response.steer.failed',
    sequence_number: 0,
    error: {
      type: 'invalid_request_error',
      code: 'steering_not_supported',
      message: 'A response cannot be steered here. Send the words with the next response.create.',
    },
    steer,
  })

export class Outbox {
  #socket: CallerSocket | undefined
  /** Set while the socket's buffer is not empty; resolves when it is. */
  #behind: PromiseWithResolvers<void> | undefined

  open(socket: CallerSocket): void {
    this.#socket = socket
  }

  /** Called when the socket is closed. */
  close(): void {
    this.#socket = undefined
    this.#caughtUp()
  }

  drain(socket: CallerSocket): void {
    if (socket.getBufferedAmount() === 0) this.#caughtUp()
  }

  /** Sends an answer to its end. @throws the error of an interrupted stream */
  async pass(answer: Response, lane: string | undefined): Promise<void> {
    if (!isStream(answer) || !answer.body) {
      await this.#write(await errorMessage(answer, lane))
      return
    }
    const metadata = metadataMessage(answer, lane)
    if (metadata !== undefined) await this.#write(metadata)
    const messages = new EventMessages(lane)
    const reader = answer.body.getReader()
    // While the caller is behind, no read notices that the stream ended because the caller stalled too long.
    reader.closed.catch(() => this.#socket?.terminate())
    for (;;) {
      const { value } = await reader.read()
      if (!value) return
      for (const message of messages.of(value)) {
        const wait = this.#write(message)
        if (wait) await wait
      }
    }
  }

  /** Sends one message, even if the caller is behind. */
  send(message: string): undefined {
    const sent = this.#socket?.send(message)
    if (sent === 0) this.#socket?.terminate()
    if (sent === -1) this.#behind ??= Promise.withResolvers()
  }

  /** @returns undefined if sent at once; otherwise resolves when the caller has caught up and the message is sent */
  #write(message: string): Promise<void> | undefined {
    if (!this.#behind) return this.send(message)
    return this.#behind.promise.then(() => this.#write(message))
  }

  #caughtUp(): void {
    this.#behind?.resolve()
    this.#behind = undefined
  }
}
