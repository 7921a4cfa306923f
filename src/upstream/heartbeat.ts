// Pings inside a stream: they keep the connection of a waiting caller alive while the provider works without output.

/** Claude Code gives up after 300 s of silence: https://code.claude.com/docs/en/llm-gateway-protocol, "Streaming". */
const PING_AFTER_MS = 15_000

/** The pings of one stream. Only a chunk of the provider, such as a comment, can trigger one: a silent provider times out. */
export class Heartbeat {
  readonly #ping: string
  readonly #now: () => number
  /** Undefined until something was sent: no stream begins with a ping. */
  #sent_ms: number | undefined

  /** @param ping the event, framed @param now a monotonic clock in milliseconds */
  constructor(ping: string, now: () => number) {
    this.#ping = ping
    this.#now = now
  }

  /** @param sent the bytes for the caller from a chunk @returns the same bytes, or a ping if nothing was sent for long */
  after(sent: Uint8Array | undefined): Uint8Array | undefined {
    if (sent === undefined && this.#sent_ms === undefined) return undefined
    const now_ms = this.#now()
    if (sent === undefined && now_ms - (this.#sent_ms ?? now_ms) < PING_AFTER_MS) return undefined
    this.#sent_ms = now_ms
    return sent ?? Buffer.from(this.#ping)
  }
}
