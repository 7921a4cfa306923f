// What leaves over a WebSocket: answers as messages, at the pace of their reader.
import type { CallerSocket } from '../../../src/http/sockets.ts'
import { EventMessages, errorMessage, isStream, metadataMessage } from './frames.ts'

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
