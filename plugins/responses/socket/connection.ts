// A caller's WebSocket connection: reads messages, runs their calls, sends answers, and slows down to the pace of either side.
import { GatewayError, overloaded } from '../../../src/domain/errors.ts'
import type { OpenSocket, SocketEnd } from '../../../src/http/socket-memory.ts'
import type { CallerSocket, SocketEvents } from '../../../src/http/sockets.ts'
import type { ConnectionOptions, Message, WaitingRequest } from './connection-options.ts'
import { FLOOD, FORGOTTEN, NO_ROOM, UNPAID, Unpaid } from './ends.ts'
import {
  bytesOf,
  type Envelope,
  laneAtStart,
  readLargeMessage,
  readMessage,
  tooManyLanes,
} from './envelope.ts'
import { awaitWelcome, Lanes } from './lanes.ts'
import { errorMessage, Outbox, steerFailed, TOO_OLD } from './outbox.ts'

/** Limits for messages that wait for their calls. Beyond them the socket is paused. */
const MAX_WAITING_BYTES = 1024 * 1024
const MAX_WAITING = 64
/** The connection is closed beyond this number: a pause does not stop messages of a read that has already happened. */
const MAX_INBOX = 2_000
/** Larger messages are parsed only if their call could be admitted. */
const SMALL_MESSAGE_BYTES = 64 * 1024
const FULL_RETRY_AFTER_S = 5

export class Connection implements SocketEvents, OpenSocket {
  readonly account_id: number
  readonly opened_at_ms: number
  /** Whether the gateway reads no more messages, because the connection sent too many without paying. */
  was_abusive = false
  readonly #options: ConnectionOptions
  readonly #outbox = new Outbox()
  readonly #unpaid = new Unpaid()
  readonly #inbox: Message[] = []
  #is_reading = false
  readonly #lanes = new Lanes<WaitingRequest>(
    (create) => this.#answer(create),
    () => this.#continue(),
  )
  /** One for each call under way; aborted when the caller disconnects. */
  readonly #calls = new Set<AbortController>()
  #socket: CallerSocket | undefined
  #waiting = 0
  #waiting_bytes = 0
  #ending: SocketEnd | undefined
  #may_read = true

  constructor(options: ConnectionOptions) {
    this.account_id = options.account_id
    this.opened_at_ms = options.opened_at_ms
    this.#options = options
  }

  get is_idle(): boolean {
    return this.#lanes.is_idle && this.#inbox.length === 0 && !this.#is_reading
  }

  open(socket: CallerSocket): void {
    this.#socket = socket
    this.#outbox.open(socket)
    this.#options.onOpen(this)
  }

  /** Queues a message. It is parsed in a later turn, because one read of the socket may bring thousands. */
  message(_: CallerSocket, text: string | Uint8Array): void {
    if (this.was_abusive) return
    const bytes = Buffer.byteLength(text)
    const { arrived, account_id } = this.#options
    if (!arrived.take(account_id, bytes)) {
      void this.#refuseWithoutRoom()
      return
    }
    this.#waiting_bytes += bytes
    this.#options.onMessage(this, bytes)
    if (this.#inbox.push({ text, bytes }) > MAX_INBOX) {
      this.was_abusive = true
      this.cut(FLOOD)
      return
    }
    this.#pace()
    this.#continue()
  }

  /** Parses one message, or starts one call. */
  step(): boolean {
    if (!this.#lanes.startNext()) {
      this.#readNext()
      this.#lanes.startNext()
    }
    return this.#hasWork()
  }

  drain(socket: CallerSocket): void {
    this.#outbox.drain(socket)
  }

  close(_: CallerSocket, code: number): void {
    this.#socket = undefined
    this.#drop()
    for (const controller of this.#calls) controller.abort()
    this.#outbox.close()
    this.#options.onClose(this, code)
  }

  mayRead(may_read: boolean): void {
    this.#may_read = may_read
    this.#pace()
  }

  /** Pings a paused socket: since it is not read, a disconnect shows only when something is sent. */
  look(): void {
    if (this.#socket?.isPaused) this.#socket.ping()
  }

  end(why: SocketEnd): void {
    this.#ending ??= why
    if (this.is_idle) this.#endIfAsked()
  }

  cut({ code, reason }: SocketEnd): void {
    if (this.#socket?.isPaused) this.#socket.resume()
    this.#socket?.close(code, reason)
  }

  /** Called when memory of earlier responses was dropped that only this connection has: ends the connection. */
  forgotten(): void {
    this.end(FORGOTTEN)
  }

  #hasWork(): boolean {
    return (
      this.#lanes.can_start || (this.#inbox.length > 0 && !this.#is_reading && this.#waiting < MAX_WAITING)
    )
  }

  #continue(): void {
    if (this.#hasWork()) this.#options.turns.add(this)
    if (this.is_idle) this.#endIfAsked()
  }

  /** Drops the waiting messages. */
  #drop(): void {
    this.#inbox.length = 0
    this.#lanes.clear()
    this.#release(this.#waiting_bytes)
  }

  /** Stops reading messages for good. */
  #stopListening(): void {
    this.was_abusive = true
    this.#socket?.pause()
  }

  #endIfAsked(): void {
    const { code, reason, is_too_old } = this.#ending ?? {}
    if (code === undefined) return
    if (is_too_old) this.#outbox.send(TOO_OLD)
    // A paused socket does not notice that its caller disconnected.
    if (this.#socket?.isPaused) this.#socket.resume()
    this.#socket?.close(code, reason)
  }

  #readNext(): void {
    const message = this.#inbox.shift()
    if (!message) return
    if (message.bytes > SMALL_MESSAGE_BYTES) void this.#readLarge(message)
    else this.#handle(message, () => readMessage(bytesOf(message.text)))
  }

  /** Parses a large message. Later messages wait, so that each lane keeps its order. */
  async #readLarge(message: Message): Promise<void> {
    this.#is_reading = true
    const { assertWelcome, unwrap } = this.#options
    try {
      await awaitWelcome(this.#lanes, laneAtStart(message.text), assertWelcome)
      const envelope = await readLargeMessage(bytesOf(message.text), unwrap)
      this.#handle(message, () => envelope)
    } catch (thrown) {
      this.#handle(message, () => {
        throw thrown
      })
    } finally {
      this.#is_reading = false
      this.#continue()
    }
  }

  /** Handles a message, or refuses it. */
  #handle({ text, bytes }: Message, read: () => Envelope): void {
    let waits = false
    try {
      // The caller disconnected, or is not answered any more.
      if (!this.#socket || this.#ending === UNPAID) return
      if (this.#ending?.is_too_old) {
        if (this.#countUnpaid(bytes)) this.#outbox.send(TOO_OLD)
        return
      }
      const envelope = read()
      if (envelope.kind === 'create') waits = this.#take({ ...envelope, bytes })
      else if (this.#countUnpaid(bytes) && envelope.kind === 'steer')
        this.#outbox.send(steerFailed(envelope.steer))
    } catch (thrown) {
      if (!(thrown instanceof GatewayError)) throw thrown
      void this.#refuse(thrown, laneAtStart(text), bytes)
    } finally {
      if (!waits) this.#release(bytes)
      this.#pace()
    }
  }

  /** Queues a request. @returns whether it waits for its call */
  #take(create: WaitingRequest): boolean {
    const { lane, bytes } = create
    if (!this.#lanes.hasRoomFor(lane)) {
      void this.#refuse(tooManyLanes(), lane, bytes)
      return false
    }
    this.#waiting++
    this.#lanes.add(lane, create)
    return true
  }

  /** Releases the memory of a message that no longer waits. A closed connection has released all of it before. */
  #release(bytes: number): void {
    const released_bytes = Math.min(bytes, this.#waiting_bytes)
    this.#waiting_bytes -= released_bytes
    this.#options.arrived.give(this.account_id, released_bytes)
  }

  async #answer(create: WaitingRequest): Promise<void> {
    const controller = new AbortController()
    this.#calls.add(controller)
    let was_taken = false
    const onTaken = () => {
      if (was_taken) return
      was_taken = true
      this.#waiting--
      this.#release(create.bytes)
      this.#pace()
      this.#continue()
    }
    try {
      const { answer, was_let_in } = await this.#options.serve(create, { signal: controller.signal, onTaken })
      onTaken()
      if (was_let_in) this.#unpaid.reset()
      else if (!this.#countUnpaid(create.bytes)) return
      await this.#outbox.pass(answer, create.lane)
    } catch {
      // The answer was interrupted; the failure has been logged. The connection is cut, as the body of a POST's answer would be.
      this.#socket?.terminate()
    } finally {
      this.#calls.delete(controller)
    }
  }

  #pace(): void {
    if (this.was_abusive) return
    const is_full =
      this.#inbox.length + this.#waiting > MAX_WAITING || this.#waiting_bytes > MAX_WAITING_BYTES
    if (is_full || !this.#may_read) this.#socket?.pause()
    else if (this.#socket?.isPaused) this.#socket.resume()
  }

  async #refuse(thrown: GatewayError, lane: string | undefined, bytes: number): Promise<void> {
    if (this.#countUnpaid(bytes)) this.#outbox.send(await errorMessage(this.#options.refuse(thrown), lane))
  }

  /** Refuses a message without parsing it, since it may be large. Earlier messages are still answered. */
  async #refuseWithoutRoom(): Promise<void> {
    this.#stopListening()
    const refusal = overloaded(
      'Too many large messages wait on WebSockets. Please retry later, or use POST /v1/responses.',
      { retry_after_s: FULL_RETRY_AFTER_S },
    )
    this.#outbox.send(await errorMessage(this.#options.refuse(refusal), undefined))
    this.end(NO_ROOM)
  }

  /** Counts a message that costs its caller nothing. @returns whether it is still answered */
  #countUnpaid(bytes: number): boolean {
    if (this.#unpaid.add(bytes)) return true
    this.#stopListening()
    this.#drop()
    this.#ending = UNPAID
    if (this.is_idle) this.#endIfAsked()
    return false
  }
}
