// Cross-origin calls from browsers (https://fetch.spec.whatwg.org/#http-cors-protocol), for the origins that the operator lists.

/** Any origin. This is safe, since browsers never send API keys by themselves: a page can only use a key that it has. */
const ANY_ORIGIN = '*'

const METHODS = 'GET, POST, PUT, PATCH, DELETE'
/** Browsers cache a preflight's answer for at most two hours. */
const MAX_AGE_S = '7200'
/** The headers of an answer that pages may read. Browsers hide all others. */
const EXPOSED = /^(x-request-id|request-id|retry-after|idempotent-replayed|x-tollgate-.*|x-ratelimit-.*)$/

/** Returns the origin of a request if it is listed, otherwise undefined. */
export function allowedOrigin({ headers }: Request, listed: readonly string[]): string | undefined {
  const origin = headers.get('origin')
  if (origin === null) return undefined
  return listed.includes(origin) || listed.includes(ANY_ORIGIN) ? origin : undefined
}

/** Returns the answer to a preflight of an allowed origin; undefined for other requests. Preflights carry no key. */
export function preflightAnswer({ method, headers }: Request, origin: string): Response | undefined {
  if (method !== 'OPTIONS' || !headers.has('access-control-request-method')) return undefined
  const requested_headers = headers.get('access-control-request-headers')
  return new Response(null, {
    status: 204,
    headers: {
      'access-control-allow-origin': origin,
      'access-control-allow-methods': METHODS,
      // All headers are allowed, since SDKs send additional ones (x-stainless-…).
      ...(requested_headers === null ? {} : { 'access-control-allow-headers': requested_headers }),
      'access-control-max-age': MAX_AGE_S,
      vary: 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers',
    },
  })
}

/** Allows pages of this origin to read an answer and its headers. Without credentials, since cookies are not used here. */
export function allowReading(answer: Response, origin: string): Response {
  const { headers } = answer
  const exposed = [...headers.keys()].filter((name) => EXPOSED.test(name))
  headers.set('access-control-allow-origin', origin)
  if (exposed.length > 0) headers.set('access-control-expose-headers', exposed.join(', '))
  headers.append('vary', 'Origin')
  return answer
}
