// The ids of requests: in the order of their characters they are in the order of their time.

/** Milliseconds since 1970 in base 32, until the year 3084. */
const TIME_CHARS = 9
/** Of a UUID of version 7 (RFC 9562, 5.7) in base64url: its 48 bits of time, and its version. */
const UUID_TIME_CHARS = 9

/**
 * `req_`, the time, and what a UUID has beside it: 22 characters. So an index of calls by their ids grows at its end, where SQLite
 * writes the fewest pages, and the calls whose id begins like some text are found in the order of their time.
 */
export const requestIdAt = (now_ms: number): string =>
  `req_${now_ms.toString(32).padStart(TIME_CHARS, '0')}${Bun.randomUUIDv7('base64url').slice(UUID_TIME_CHARS)}`
