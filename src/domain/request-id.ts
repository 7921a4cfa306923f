// Request IDs: `req_` and a UUID version 7 (RFC 9562, 5.7) in base64url, whose first 48 bits are its time.

const PREFIX = 'req_'
/** 48 bits, six per character. */
const TIME_CHARS = 8
/** 128 bits. */
const ID_CHARS = PREFIX.length + 22

/** Creates the ID of a request that arrives now. */
export const requestIdAt = (now_ms: number): string => `${PREFIX}${Bun.randomUUIDv7('base64url', now_ms)}`

/** Returns the request ID of a call: if a request makes several calls, their IDs have a suffix. */
export const requestIdOfCall = (call_id: string): string => call_id.slice(0, ID_CHARS)

/** The length of the prefix of an ID that contains its time. */
const MIN_TIMED_CHARS = PREFIX.length + TIME_CHARS

const TIMED = new RegExp(`^${PREFIX}[A-Za-z0-9_-]{${TIME_CHARS}}`)

/**
 * Returns the time in a request ID, or in the beginning of one, by which calls are found (money/ledger/started-calls.ts).
 *
 * @returns milliseconds since 1970; undefined if the text is no request ID, or too short
 */
export function timeOfRequestId(text: string): number | undefined {
  if (!TIMED.test(text)) return undefined
  return Buffer.from(text.slice(PREFIX.length, MIN_TIMED_CHARS), 'base64url').readUIntBE(0, 6)
}
