// Answers over a WebSocket: events and failures as messages under the name of their lane, at the pace of their reader.
import type { CallerSocket } from '../../../src/http/sockets.ts'
import { type ByteString, decodeByteString, toByteString } from '../../../src/protocols/wire/byte-string.ts'
import { type Json, type JsonObject, objectIn, parseObject } from '../../../src/protocols/wire/json.ts'
import { EventCutter, EventWalk } from '../../../src/protocols/wire/sse.ts'

/** The events of one streamed answer, as they come. */
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

/** The facts about an answer in its headers alone. */
const DIFFERS = ['x-tollgate-dropped', 'x-tollgate-output-limit']
const ABOUT_ANSWER = ['x-request-id', 'x-tollgate-upstream-model', ...DIFFERS]

/**
 * Where an answer is to something else than what was asked, the headers that say so, as OpenAI sends them over a WebSocket: Codex
 * reads such an event, the SDKs' types have none. Others get the events of POST and no more.
 */
function metadataMessage({ headers }: Response, lane: string | undefined): string | undefined {
  if (!DIFFERS.some((name) => headers.has(name))) return undefined
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

/** Headers of a failure that a caller over HTTP would see: npm openai, `ResponseWsError`; Codex, `WrappedWebsocketErrorEvent`. */
const TOLD = ['retry-after', 'x-request-id']

/** A failure in the surface's shape, as the event that tells it. */
export async function errorMessage(answer: Response, lane: string | undefined): Promise<string> {
  const { error } = objectIn(parseObject(await answer.text()))
  return JSON.stringify({
    type: 'error',
    status: answer.status,
    stream_id: lane,
    error: error ?? null,
    headers: headersNamed(answer.headers, TOLD),
  })
}

const isStream = ({ headers }: Response): boolean =>
  headers.get('content-type')?.startsWith('text/event-stream') ?? false

/** To who asks for something on a connection that is as old as it may be: its code is the one by which clients connect again. */
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

/** No model here takes words while it answers: npm openai, `ResponseSteerFailedEvent`. */
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
  /** There while the caller does not keep up. */
  #behind: PromiseWithResolvers<void> | undefined

  open(socket: CallerSocket): void {
    this.#socket = socket
  }

  /** Nothing can be sent any more. */
  close(): void {
    this.#socket = undefined
    this.#caughtUp()
  }

  drain(socket: CallerSocket): void {
    if (socket.getBufferedAmount() === 0) this.#caughtUp()
  }

  /** Sends an answer to its end. @throws whatever its stream breaks off with */
  async pass(answer: Response, lane: string | undefined): Promise<void> {
    if (!isStream(answer) || !answer.body) {
      await this.#write(await errorMessage(answer, lane))
      return
    }
    const metadata = metadataMessage(answer, lane)
    if (metadata !== undefined) await this.#write(metadata)
    const messages = new EventMessages(lane)
    const reader = answer.body.getReader()
    // Nothing is read while the caller is behind: one who stalls for too long is cut off here.
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

  /** Sends one message, also to a caller who is behind. */
  send(message: string): undefined {
    const sent = this.#socket?.send(message)
    if (sent === 0) this.#socket?.terminate()
    if (sent === -1) this.#behind ??= Promise.withResolvers()
  }

  /** @returns where the caller is behind: resolves once the message is sent */
  #write(message: string): Promise<void> | undefined {
    if (!this.#behind) return this.send(message)
    return this.#behind.promise.then(() => this.#write(message))
  }

  #caughtUp(): void {
    this.#behind?.resolve()
    this.#behind = undefined
  }
}
