// Cross-origin calls of a page in a browser (https://fetch.spec.whatwg.org/#http-cors-protocol).

/** Request headers that need no preflight's consent, and response headers that every page may read. */
const SAFE_REQUEST = new Set(['accept', 'accept-language', 'content-language'])
const SAFE_RESPONSE = new Set([
  'cache-control',
  'content-language',
  'content-length',
  'content-type',
  'expires',
  'last-modified',
  'pragma',
])
/** Headers that the browser adds by itself. */
const OWN = new Set(['origin', 'connection', 'content-length', 'host', 'user-agent', 'accept-encoding'])

const listIn = (headers: Headers, name: string): string[] =>
  (headers.get(name) ?? '')
    .split(',')
    .map((item) => item.trim().toLowerCase())
    .filter((item) => item !== '')

/** `fetch` of a page with this origin. Rejects with a TypeError where a browser would. */
export function browserFetch(origin: string): typeof fetch {
  async function call(input: Parameters<typeof fetch>[0], init?: RequestInit): Promise<Response> {
    const request = new Request(input as string, init)
    const wanted = [...request.headers.keys()].filter((name) => !SAFE_REQUEST.has(name) && !OWN.has(name))
    const preflight = await fetch(request.url, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': request.method,
        'access-control-request-headers': wanted.toSorted().join(','),
      },
    })
    assertAllowed(preflight, origin)
    if (!preflight.ok) throw new TypeError(`the preflight was answered ${preflight.status}`)
    const methods = listIn(preflight.headers, 'access-control-allow-methods')
    if (!methods.includes(request.method.toLowerCase()))
      throw new TypeError(`${request.method} is not allowed`)
    const allowed = listIn(preflight.headers, 'access-control-allow-headers')
    const refused = wanted.filter((name) => !allowed.includes(name))
    if (refused.length > 0) throw new TypeError(`not allowed: ${refused.join(', ')}`)

    request.headers.set('origin', origin)
    const response = await fetch(request)
    assertAllowed(response, origin)
    const exposed = new Set(listIn(response.headers, 'access-control-expose-headers'))
    const seen = [...response.headers].filter(([name]) => SAFE_RESPONSE.has(name) || exposed.has(name))
    return new Response(response.body, { status: response.status, headers: seen })
  }
  return Object.assign(call, { preconnect: fetch.preconnect })
}

function assertAllowed({ headers }: Response, origin: string): void {
  if (headers.get('access-control-allow-origin') !== origin) throw new TypeError('the origin is not allowed')
  if (headers.has('access-control-allow-credentials')) throw new TypeError('credentials are allowed')
  if (!listIn(headers, 'vary').includes('origin')) throw new TypeError('Vary lacks Origin')
}
