// One WebSocket of a caller: messages in and out, at the pace of whoever is slower, and its end.
import { GatewayError, overloaded } from '../../../src/domain/errors.ts'
import type { CallerSocket, SocketEvents } from '../../../src/http/sockets.ts'
import type { OpenSocket, SocketEnd } from '../../../src/http/web-sockets.ts'
import type { SharedBytes } from '../../../src/utilities/shared-bytes.ts'
import { type Create, readMessage, tooManyLanes } from './envelope.ts'
import { EventMessages, errorMessage, isStream, metadataMessage, steerFailed, TOO_OLD } from './frames.ts'
import { Lanes } from './lanes.ts'

/** What a connection is made with. */
export interface ConnectionOptions {
  account_id: number
  opened_at_ms: number
  /** What has come over this and other connections, and waits for its call. */
  arrived: SharedBytes
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
const NO_ROOM: SocketEnd = { code: 1013, reason: 'Too many large messages wait. Connect again later.' }
const FULL_RETRY_AFTER_S = 5
const FORGOTTEN: SocketEnd = {
  code: 1013,
  reason: 'The conversation cannot be remembered. Send all of it again.',
}

/** A message that waits for its call, and its size. */
interface Arrived extends Create {
  bytes: number
}

export class Connection implements SocketEvents, OpenSocket {
  readonly account_id: number
  readonly opened_at_ms: number
  readonly #options: ConnectionOptions
  readonly #lanes = new Lanes<Arrived>(
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
    const bytes = message.length
    const { arrived, account_id } = this.#options
    if (!arrived.take(account_id, bytes)) {
      void this.#refuseWithoutRoom()
      return
    }
    this.#waiting_bytes += bytes
    let waits = false
    try {
      const asked = readMessage(message)
      if (asked.kind === 'create') waits = this.#take({ ...asked, bytes })
      else if (this.#isHeard() && asked.kind === 'steer') this.#send(steerFailed(asked.steer))
    } catch (thrown) {
      if (!(thrown instanceof GatewayError)) throw thrown
      void this.#refuse(thrown, undefined)
    } finally {
      if (!waits) this.#release(bytes)
    }
  }

  drain(socket: CallerSocket): void {
    if (socket.getBufferedAmount() === 0) this.#caughtUp()
  }

  close(_: CallerSocket, code: number): void {
    this.#socket = undefined
    this.#lanes.clear()
    this.#release(this.#waiting_bytes)
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

  /** @returns whether it waits for its call */
  #take(create: Arrived): boolean {
    const { lane } = create
    if (!this.#lanes.hasRoomFor(lane)) {
      void this.#refuse(tooManyLanes(), lane)
      return false
    }
    this.#unpaid = 0
    this.#waiting++
    this.#lanes.add(lane, create)
    this.#pace()
    return true
  }

  /** Of a message that waits no more. What is left of a closed connection was released when it closed. */
  #release(bytes: number): void {
    const released_bytes = Math.min(bytes, this.#waiting_bytes)
    this.#waiting_bytes -= released_bytes
    this.#options.arrived.give(this.account_id, released_bytes)
  }

  async #answer(create: Arrived): Promise<void> {
    const controller = new AbortController()
    this.#leaving.add(controller)
    let was_taken = false
    const onTaken = () => {
      if (was_taken) return
      was_taken = true
      this.#waiting--
      this.#release(create.bytes)
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

  /** It is not read: what it says may be of any size. */
  async #refuseWithoutRoom(): Promise<void> {
    const refusal = overloaded(
      'Too many large messages wait on WebSockets. Please retry later, or use POST /v1/responses.',
      { retry_after_s: FULL_RETRY_AFTER_S },
    )
    this.#send(await errorMessage(this.#options.refuse(refusal), undefined))
    this.end(NO_ROOM)
  }

  /** Counts a message without a call. */
  #isHeard(): boolean {
    if (++this.#unpaid <= MAX_UNPAID) return true
    this.end(NONSENSE)
    return false
  }
}
