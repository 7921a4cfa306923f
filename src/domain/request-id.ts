// The ids of requests: `req_` and a UUID of version 7 (RFC 9562, 5.7) in base64url, whose first 48 bits are its time.

const PREFIX = 'req_'
/** Of six bits each. */
const TIME_CHARS = 8
/** 128 bits. */
const ID_CHARS = PREFIX.length + 22

/** The id of a request that comes now. */
export const requestIdAt = (now_ms: number): string => `${PREFIX}${Bun.randomUUIDv7('base64url', now_ms)}`

/** The id of the request that a call is for: of one of several calls of its answer, the id without what follows. */
export const answerOf = (call_id: string): string => call_id.slice(0, ID_CHARS)

/** As much of an id as tells its time. */
const MIN_TIMED_CHARS = PREFIX.length + TIME_CHARS

const TIMED = new RegExp(`^${PREFIX}[A-Za-z0-9_-]{${TIME_CHARS}}`)

/**
 * When a request came whose id is, or begins with, a text: what calls are found by (money/ledger/started-calls.ts).
 *
 * @returns milliseconds since 1970; undefined if the text is no such id, or too short
 */
export function timeOfRequestId(text: string): number | undefined {
  if (!TIMED.test(text)) return undefined
  return Buffer.from(text.slice(PREFIX.length, MIN_TIMED_CHARS), 'base64url').readUIntBE(0, 6)
}
