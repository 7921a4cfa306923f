// Owns the Retry-After header (RFC 9110, section 10.2.3), as the vendors send it.

/** Whole seconds; undefined where it is absent, or is a date, which none of the vendors sends. */
export function retryAfter(headers: Headers): number | undefined {
  const value = headers.get('retry-after')
  return value !== null && /^\d{1,6}$/.test(value) ? Number(value) : undefined
}
