// One WebSocket of a caller: messages in and out, at the pace of whoever is slower, and its end.
import { GatewayError } from '../../../src/domain/errors.ts'
import type { CallerSocket, SocketEvents } from '../../../src/http/sockets.ts'
import type { OpenSocket, SocketEnd } from '../../../src/http/web-sockets.ts'
import { type Create, readMessage, tooManyLanes } from './envelope.ts'
import { EventMessages, errorMessage, isStream, metadataMessage, steerFailed, TOO_OLD } from './frames.ts'
import { Lanes } from './lanes.ts'

/** What a connection is made with. */
export interface ConnectionOptions {
  account_id: number
  opened_at_ms: number
  /** Makes the response, as POST does. Never throws: a failure is an answer. */
  serve(create: Create, about: { signal: AbortSignal; onTaken: () => void }): Promise<Response>
  /** The answer to a message that cannot be understood. */
  refuse(thrown: GatewayError): Response
  /** It is open. */
  onOpen(connection: OpenSocket): void
  /** It is over. @param code of the end, as RFC 6455 has it */
  onClose(connection: OpenSocket, code: number): void
}

/** Of messages whose call has no room for them yet; once more wait, no more is read. */
const MAX_WAITING_BYTES = 1024 * 1024
const MAX_WAITING = 64
/** A caller whose messages ask for no response, so many in a row, is not one of this API. */
const MAX_UNPAID = 100

const NONSENSE: SocketEnd = { code: 1008, reason: 'Too many messages that ask for no response.' }
const FORGOTTEN: SocketEnd = {
  code: 1013,
  reason: 'The conversation cannot be remembered. Send all of it again.',
}

export class Connection implements SocketEvents, OpenSocket {
  readonly account_id: number
  readonly opened_at_ms: number
  readonly #options: ConnectionOptions
  readonly #lanes = new Lanes<Create>(
    (create) => this.#answer(create),
    () => this.#endIfAsked(),
  )
  /** One for each call under way: they fire when the caller has left. */
  readonly #leaving = new Set<AbortController>()
  #socket: CallerSocket | undefined
  #waiting = 0
  #waiting_bytes = 0
  /** Messages without a call, in a row. */
  #unpaid = 0
  #ending: SocketEnd | undefined
  /** There while the caller does not keep up. */
  #behind: PromiseWithResolvers<void> | undefined

  constructor(options: ConnectionOptions) {
    this.account_id = options.account_id
    this.opened_at_ms = options.opened_at_ms
    this.#options = options
  }

  get is_idle(): boolean {
    return this.#lanes.is_idle
  }

  open(socket: CallerSocket): void {
    this.#socket = socket
    this.#options.onOpen(this)
  }

  message(_: CallerSocket, message: string | Uint8Array): void {
    if (this.#ending?.is_too_old) {
      this.#send(TOO_OLD)
      return
    }
    try {
      const asked = readMessage(message)
      if (asked.kind === 'create') this.#take(asked)
      else if (this.#isHeard() && asked.kind === 'steer') this.#send(steerFailed(asked.steer))
    } catch (thrown) {
      if (!(thrown instanceof GatewayError)) throw thrown
      void this.#refuse(thrown, undefined)
    }
  }

  drain(socket: CallerSocket): void {
    if (socket.getBufferedAmount() === 0) this.#caughtUp()
  }

  close(_: CallerSocket, code: number): void {
    this.#socket = undefined
    this.#lanes.clear()
    for (const controller of this.#leaving) controller.abort()
    this.#caughtUp()
    this.#options.onClose(this, code)
  }

  /** A paused socket is not read, so that its end shows only once something is sent. */
  look(): void {
    if (this.#socket?.isPaused) this.#socket.ping()
  }

  end(why: SocketEnd): void {
    this.#ending ??= why
    if (this.is_idle) this.#endIfAsked()
  }

  /** What was only remembered here is not any more. */
  forgotten(): void {
    this.end(FORGOTTEN)
  }

  #endIfAsked(): void {
    const { code, reason, is_too_old } = this.#ending ?? {}
    if (code === undefined) return
    if (is_too_old) this.#send(TOO_OLD)
    this.#socket?.close(code, reason)
  }

  #take(create: Create): void {
    const { lane, body } = create
    if (!this.#lanes.hasRoomFor(lane)) {
      void this.#refuse(tooManyLanes(), lane)
      return
    }
    this.#unpaid = 0
    this.#waiting++
    this.#waiting_bytes += body.length
    this.#lanes.add(lane, create)
    this.#pace()
  }

  async #answer(create: Create): Promise<void> {
    const controller = new AbortController()
    this.#leaving.add(controller)
    let was_taken = false
    const onTaken = () => {
      if (was_taken) return
      was_taken = true
      this.#waiting--
      this.#waiting_bytes -= create.body.length
      this.#pace()
    }
    try {
      const answer = await this.#options.serve(create, { signal: controller.signal, onTaken })
      onTaken()
      await this.#pass(answer, create.lane)
    } catch {
      // The answer broke off, as the body of an answer to POST does: what failed is logged, and its caller is cut off.
      this.#socket?.terminate()
    } finally {
      this.#leaving.delete(controller)
    }
  }

  async #pass(answer: Response, lane: string | undefined): Promise<void> {
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

  /** @returns where the caller is behind: resolves once the message is sent */
  #write(message: string): Promise<void> | undefined {
    if (!this.#behind) return this.#send(message)
    return this.#behind.promise.then(() => this.#write(message))
  }

  #send(message: string): undefined {
    const sent = this.#socket?.send(message)
    if (sent === 0) this.#socket?.terminate()
    if (sent === -1) this.#behind ??= Promise.withResolvers()
  }

  #caughtUp(): void {
    this.#behind?.resolve()
    this.#behind = undefined
  }

  #pace(): void {
    const is_full = this.#waiting > MAX_WAITING || this.#waiting_bytes > MAX_WAITING_BYTES
    if (is_full) this.#socket?.pause()
    else if (this.#socket?.isPaused) this.#socket.resume()
  }

  async #refuse(thrown: GatewayError, lane: string | undefined): Promise<void> {
    if (this.#isHeard()) this.#send(await errorMessage(this.#options.refuse(thrown), lane))
  }

  /** Counts a message without a call. */
  #isHeard(): boolean {
    if (++this.#unpaid <= MAX_UNPAID) return true
    this.end(NONSENSE)
    return false
  }
}
