// The time to wait before the next request, from a provider's headers.

/** No provider's limit lasts longer than a day. */
const MAX_RETRY_AFTER_S = 86_400

/** Whole seconds from 0 to a day, rounded up; undefined for negative numbers and NaN. */
export const boundedWait = (seconds: number): number | undefined =>
  seconds >= 0 ? Math.min(Math.ceil(seconds), MAX_RETRY_AFTER_S) : undefined

/**
 * Reads `retry-after-ms` before Retry-After, as OpenAI's and Anthropic's clients do (openai 7.57 and @anthropic-ai/sdk 1.12
 * `src/client.ts` retryRequest; Azure OpenAI sends both). Retry-After is seconds or a date (RFC 9110, section 10.2.3).
 *
 * @param now_ms the clock for a date if the response has no Date header
 * @returns whole seconds; undefined without a readable header
 */
export function retryAfter(headers: Headers, now_ms = Date.now()): number | undefined {
  const ms = decimal(headers.get('retry-after-ms'))
  if (ms !== undefined) return boundedWait(ms / 1_000)
  const value = headers.get('retry-after')
  const seconds = decimal(value)
  if (seconds !== undefined) return boundedWait(seconds)
  const at_ms = dateIn(value)
  if (at_ms === undefined) return undefined
  // Both dates come from the server, so a difference between its clock and this one does not matter.
  return boundedWait(Math.max(0, at_ms - (dateIn(headers.get('date')) ?? now_ms)) / 1_000)
}

const DECIMAL = /^\d{1,15}(?:\.\d{1,9})?$/

const decimal = (value: string | null): number | undefined =>
  value !== null && DECIMAL.test(value) ? Number(value) : undefined

/** The three date forms of RFC 9110, section 5.6.7. Each begins with the weekday and is in GMT. */
const IMF_OR_RFC_850 = /^[A-Z][a-z]{2,8}, \d{2}[ -][A-Z][a-z]{2}[ -]\d{2,4} \d{2}:\d{2}:\d{2} GMT$/
const ASCTIME = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/

function dateIn(value: string | null): number | undefined {
  if (value === null) return undefined
  const text = ASCTIME.test(value) ? `${value} GMT` : IMF_OR_RFC_850.test(value) ? value : ''
  const ms = Date.parse(text)
  return Number.isNaN(ms) ? undefined : ms
}
