// A WebSocket of a caller that is open, as its registry sees it, and why it ends.

/** Why one ends, as its caller is told. */
export interface SocketEnd {
  /** RFC 6455, 7.4.1. */
  code: number
  /** At most 123 bytes. */
  reason: string
  /** The message before it closes, and the answer to every request until then. */
  is_too_old?: true
}

/** One that is open. */
export interface OpenSocket {
  readonly account_id: number
  readonly opened_at_ms: number
  /** Nothing is under way on it. */
  readonly is_idle: boolean
  /** It sent more than it paid for. */
  readonly was_sent_away: boolean
  /** Finds out whether its caller is still there, where nothing else would tell. */
  look(): void
  /** Whether it may be read: nothing of it comes in while it may not. */
  mayRead(may_read: boolean): void
  /** Ends it: at once where nothing is under way, else after the last answer. */
  end(why: SocketEnd): void
  /** Ends it at once, with the calls under way. */
  cut(why: SocketEnd): void
}
