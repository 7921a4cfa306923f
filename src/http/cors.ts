// Cross-origin calls from browsers (https://fetch.spec.whatwg.org/#http-cors-protocol), for the origins that the operator lists.

/** Any origin. A key is never sent by a browser on its own, so a page can use only one that it was given. */
const ANY_ORIGIN = '*'

const METHODS = 'GET, POST, PUT, PATCH, DELETE'
/** Browsers remember a preflight's answer for no longer than two hours. */
const MAX_AGE_S = '7200'
/** Headers of an answer that callers may read. Browsers hide every header that is not named. */
const EXPOSED = /^(x-request-id|request-id|retry-after|idempotent-replayed|x-tollgate-.*|x-ratelimit-.*)$/

/** The origin that a request comes from, where it is one of those listed; undefined for all other requests. */
export function allowedOrigin({ headers }: Request, listed: readonly string[]): string | undefined {
  const origin = headers.get('origin')
  if (origin === null) return undefined
  return listed.includes(origin) || listed.includes(ANY_ORIGIN) ? origin : undefined
}

/** The answer to a preflight of an allowed origin; undefined if the request is none. Keys are not sent along with one. */
export function preflightAnswer({ method, headers }: Request, origin: string): Response | undefined {
  if (method !== 'OPTIONS' || !headers.has('access-control-request-method')) return undefined
  const requested_headers = headers.get('access-control-request-headers')
  return new Response(null, {
    status: 204,
    headers: {
      'access-control-allow-origin': origin,
      'access-control-allow-methods': METHODS,
      // SDKs send headers of their own (x-stainless-…): whatever a page of this origin wants to send, it may.
      ...(requested_headers === null ? {} : { 'access-control-allow-headers': requested_headers }),
      'access-control-max-age': MAX_AGE_S,
      vary: 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers',
    },
  })
}

/** Lets a page of this origin read an answer, its headers included. Never with credentials: cookies mean nothing here. */
export function allowReading(answer: Response, origin: string): Response {
  const { headers } = answer
  const exposed = [...headers.keys()].filter((name) => EXPOSED.test(name))
  headers.set('access-control-allow-origin', origin)
  if (exposed.length > 0) headers.set('access-control-expose-headers', exposed.join(', '))
  headers.append('vary', 'Origin')
  return answer
}
