// The Retry-After header (RFC 9110, section 10.2.3), as providers send it.

/** Whole seconds; undefined if the header is absent, or holds a date, which no provider sends. */
export function retryAfter(headers: Headers): number | undefined {
  const value = headers.get('retry-after')
  return value !== null && /^\d{1,6}$/.test(value) ? Number(value) : undefined
}
