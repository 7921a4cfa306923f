// Pings inside a stream: a sign of life for callers who wait while their provider works and has nothing for them.

/** Claude Code gives up after 300 s of silence: https://code.claude.com/docs/en/llm-gateway-protocol, "Streaming". */
const PING_AFTER_MS = 15_000

/** The pings of one stream. They follow what the provider sends, such as comments: a provider that is silent itself times out. */
export class Heartbeat {
  readonly #ping: string
  readonly #now: () => number
  /** Undefined until something was sent: no stream begins with a ping. */
  #sent_ms: number | undefined

  /** @param ping the event, framed @param now in milliseconds; a clock that only goes forward */
  constructor(ping: string, now: () => number) {
    this.#ping = ping
    this.#now = now
  }

  /** @param sent what a chunk becomes for the caller @returns the same, or a ping where nothing was sent for long */
  after(sent: Uint8Array | undefined): Uint8Array | undefined {
    if (sent === undefined && this.#sent_ms === undefined) return undefined
    const now_ms = this.#now()
    if (sent === undefined && now_ms - (this.#sent_ms ?? now_ms) < PING_AFTER_MS) return undefined
    this.#sent_ms = now_ms
    return sent ?? Buffer.from(this.#ping)
  }
}
