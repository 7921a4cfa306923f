// One WebSocket of a caller: messages in and out, at the pace of whoever is slower, and its end.
import { GatewayError, overloaded } from '../../../src/domain/errors.ts'
import type { OpenSocket, SocketEnd } from '../../../src/http/socket-memory.ts'
import type { CallerSocket, SocketEvents } from '../../../src/http/sockets.ts'
import type { Arrived, ConnectionOptions, Message } from './connection-options.ts'
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

/** Of messages whose call has no room for them yet; once more wait, no more is read. */
const MAX_WAITING_BYTES = 1024 * 1024
const MAX_WAITING = 64
/** So many never wait by mistake. What one read of the socket brings cannot be stopped, so the connection is ended at once. */
const MAX_INBOX = 2_000
/** Larger messages are read only for callers who could be let in. */
const SMALL_MESSAGE_BYTES = 64 * 1024
const FULL_RETRY_AFTER_S = 5

export class Connection implements SocketEvents, OpenSocket {
  readonly account_id: number
  readonly opened_at_ms: number
  /** It cost more than it paid for: nothing more of it is read. */
  was_sent_away = false
  readonly #options: ConnectionOptions
  readonly #outbox = new Outbox()
  readonly #unpaid = new Unpaid()
  readonly #inbox: Message[] = []
  #is_reading = false
  readonly #lanes = new Lanes<Arrived>(
    (create) => this.#answer(create),
    () => this.#goOn(),
  )
  /** One for each call under way: they fire when the caller has left. */
  readonly #leaving = new Set<AbortController>()
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

  /** It is read in its turn: one read of the socket may bring thousands. */
  message(_: CallerSocket, text: string | Uint8Array): void {
    if (this.was_sent_away) return
    const bytes = Buffer.byteLength(text)
    const { arrived, account_id } = this.#options
    if (!arrived.take(account_id, bytes)) {
      void this.#refuseWithoutRoom()
      return
    }
    this.#waiting_bytes += bytes
    this.#options.onMessage(this, bytes)
    if (this.#inbox.push({ text, bytes }) > MAX_INBOX) {
      this.was_sent_away = true
      this.cut(FLOOD)
      return
    }
    this.#pace()
    this.#goOn()
  }

  /** Reads one message, or begins one call. */
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
    for (const controller of this.#leaving) controller.abort()
    this.#outbox.close()
    this.#options.onClose(this, code)
  }

  mayRead(may_read: boolean): void {
    this.#may_read = may_read
    this.#pace()
  }

  /** A paused socket is not read, so that its end shows only once something is sent. */
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

  /** Forgets the responses that only this connection remembers. */
  forgotten(): void {
    this.end(FORGOTTEN)
  }

  #hasWork(): boolean {
    return (
      this.#lanes.can_start || (this.#inbox.length > 0 && !this.#is_reading && this.#waiting < MAX_WAITING)
    )
  }

  #goOn(): void {
    if (this.#hasWork()) this.#options.turns.add(this)
    if (this.is_idle) this.#endIfAsked()
  }

  /** Drops the messages that wait. */
  #drop(): void {
    this.#inbox.length = 0
    this.#lanes.clear()
    this.#release(this.#waiting_bytes)
  }

  /** It is not read any more, until it is closed. */
  #stopListening(): void {
    this.was_sent_away = true
    this.#socket?.pause()
  }

  #endIfAsked(): void {
    const { code, reason, is_too_old } = this.#ending ?? {}
    if (code === undefined) return
    if (is_too_old) this.#outbox.send(TOO_OLD)
    // One that is paused does not see that its caller has gone.
    if (this.#socket?.isPaused) this.#socket.resume()
    this.#socket?.close(code, reason)
  }

  #readNext(): void {
    const message = this.#inbox.shift()
    if (!message) return
    if (message.bytes > SMALL_MESSAGE_BYTES) void this.#readLarge(message)
    else this.#handle(message, () => readMessage(bytesOf(message.text)))
  }

  /** Messages behind it wait, so that each lane keeps its order. */
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
      this.#goOn()
    }
  }

  /** Does what a message asks for, or refuses it. */
  #handle({ text, bytes }: Message, read: () => Envelope): void {
    let waits = false
    try {
      // Nobody is left to be answered.
      if (!this.#socket || this.#ending === UNPAID) return
      if (this.#ending?.is_too_old) {
        if (this.#isHeard(bytes)) this.#outbox.send(TOO_OLD)
        return
      }
      const envelope = read()
      if (envelope.kind === 'create') waits = this.#take({ ...envelope, bytes })
      else if (this.#isHeard(bytes) && envelope.kind === 'steer')
        this.#outbox.send(steerFailed(envelope.steer))
    } catch (thrown) {
      if (!(thrown instanceof GatewayError)) throw thrown
      void this.#refuse(thrown, laneAtStart(text), bytes)
    } finally {
      if (!waits) this.#release(bytes)
      this.#pace()
    }
  }

  /** @returns whether it waits for its call */
  #take(create: Arrived): boolean {
    const { lane, bytes } = create
    if (!this.#lanes.hasRoomFor(lane)) {
      void this.#refuse(tooManyLanes(), lane, bytes)
      return false
    }
    this.#waiting++
    this.#lanes.add(lane, create)
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
      this.#goOn()
    }
    try {
      const { answer, was_let_in } = await this.#options.serve(create, { signal: controller.signal, onTaken })
      onTaken()
      if (was_let_in) this.#unpaid.reset()
      else if (!this.#isHeard(create.bytes)) return
      await this.#outbox.pass(answer, create.lane)
    } catch {
      // The answer broke off, as the body of an answer to POST does: what failed is logged, and its caller is cut off.
      this.#socket?.terminate()
    } finally {
      this.#leaving.delete(controller)
    }
  }

  #pace(): void {
    if (this.was_sent_away) return
    const is_full =
      this.#inbox.length + this.#waiting > MAX_WAITING || this.#waiting_bytes > MAX_WAITING_BYTES
    if (is_full || !this.#may_read) this.#socket?.pause()
    else if (this.#socket?.isPaused) this.#socket.resume()
  }

  async #refuse(thrown: GatewayError, lane: string | undefined, bytes: number): Promise<void> {
    if (this.#isHeard(bytes)) this.#outbox.send(await errorMessage(this.#options.refuse(thrown), lane))
  }

  /** It is not read: what it says may be of any size. What came before it is still answered. */
  async #refuseWithoutRoom(): Promise<void> {
    this.#stopListening()
    const refusal = overloaded(
      'Too many large messages wait on WebSockets. Please retry later, or use POST /v1/responses.',
      { retry_after_s: FULL_RETRY_AFTER_S },
    )
    this.#outbox.send(await errorMessage(this.#options.refuse(refusal), undefined))
    this.end(NO_ROOM)
  }

  /** Counts a message that nobody pays for. @returns whether it is answered */
  #isHeard(bytes: number): boolean {
    if (this.#unpaid.add(bytes)) return true
    this.#stopListening()
    this.#drop()
    this.#ending = UNPAID
    if (this.is_idle) this.#endIfAsked()
    return false
  }
}
