// The console's origins and session cookies, by the URL at which the browser reaches it.
import type { ServerSettings } from '../../../domain/catalogue.ts'
import { permissionDenied } from '../../../domain/errors.ts'
import { publicPathOf } from '../../../domain/public-url.ts'
import { type CookieForm, cookieOf, setCookie } from '../../../http/cookies.ts'

export interface SiteSettings {
  public_url: ServerSettings['public_url']
  /** `[console] insecure_http` */
  insecure_http: boolean
}

/**
 * Browsers accept this cookie only over TLS, most also over plain HTTP from this machine, and no other host can set it. The prefix
 * requires the path /, so a gateway below a path has the path in the name; then another gateway of the host does not sign it out.
 */
const safeCookie = (settings: SiteSettings): CookieForm => ({
  name: `__Host-tollgate${suffixOf(settings)}`,
  secure: true,
})
/** For plain HTTP: from this machine if the browser drops the safe cookie, and from others if the operator allows it. */
const plainCookie = (settings: SiteSettings): CookieForm => ({
  name: `tollgate${suffixOf(settings)}`,
  secure: false,
})

const suffixOf = ({ public_url }: SiteSettings): string => publicPathOf(public_url).replaceAll('/', '.')

/**
 * The origins of the console's own pages: that of `public_url`, and that of the request's URL. Behind a TLS proxy the latter
 * is `http`, so it counts only if `public_url` has another host.
 */
export function ownOrigins({ url }: Request, { public_url }: SiteSettings): string[] {
  const requested = new URL(url)
  if (public_url === undefined) return [requested.origin]
  const stated = new URL(public_url)
  return stated.host === requested.host ? [stated.origin] : [stated.origin, requested.origin]
}

const SAFE_METHODS = new Set(['GET', 'HEAD'])

/**
 * Refuses requests of other sites' pages (https://cheatsheetseries.owasp.org/cheatsheets/Cross-Site_Request_Forgery_Prevention_Cheat_Sheet.html):
 * a request that changes something must have our own Origin header, which all browsers send.
 * @throws GatewayError permission_denied
 */
export function requireOwnOrigin(request: Request, settings: SiteSettings): void {
  if (SAFE_METHODS.has(request.method)) return
  const origin = request.headers.get('origin')
  if (origin === null)
    throw permissionDenied(
      'The request has no Origin header, by which the console tells its own pages from others. Send your browser’s, or this gateway’s own URL.',
      { code: 'origin_required' },
    )
  if (!ownOrigins(request, settings).includes(origin))
    throw permissionDenied(
      'This request comes from a page of another origin. Where the console is behind a proxy, set public_url in [server] of tollgate.toml to the URL in your browser.',
      { code: 'foreign_origin' },
    )
}

/**
 * Returns the session token of a request. The cookie without the prefix counts only if no TLS page of this console exists:
 * an attacker on the network path of plain HTTP could set it for TLS pages, too.
 */
export function tokenOf(request: Request, settings: SiteSettings): string | undefined {
  const token = cookieOf(request, safeCookie(settings).name)
  if (token !== undefined || !mayBePlain(request, settings)) return token
  return cookieOf(request, plainCookie(settings).name)
}

/** Whether the cookie without the prefix is used: no page of this console is served over TLS. */
function mayBePlain(request: Request, settings: SiteSettings): boolean {
  const own = ownOrigins(request, settings)
  return own.every(isPlainLoopback) || (settings.insecure_http && !own.every(isSafe))
}

/** Returns the reason why sign-in is refused on this connection; undefined if it is allowed. */
export function signInRefusal(request: Request, settings: SiteSettings): string | undefined {
  return cookieFor(request, settings) === undefined ? OVER_PLAIN_HTTP : undefined
}

/**
 * Returns the cookie for a session in this browser.
 * @throws GatewayError permission_denied over plain HTTP from another machine
 */
export function cookieForm(request: Request, settings: SiteSettings): CookieForm {
  const form = cookieFor(request, settings)
  if (form === undefined) throw permissionDenied(OVER_PLAIN_HTTP, { code: 'insecure_connection' })
  return form
}

/** Returns both cookies, so that a sign-out removes the session from either. */
export const cookieForms = (settings: SiteSettings): CookieForm[] => [
  safeCookie(settings),
  plainCookie(settings),
]

/**
 * Returns a `Set-Cookie` for each possible session cookie that the browser has not sent yet. These probes carry no secret: the one that
 * the browser sends back shows which cookie it keeps, before a password or a single-use link depends on it.
 */
export function probes(request: Request, settings: SiteSettings): string[] {
  const forms = [
    ...(ownOrigins(request, settings).some(isSafe) ? [safeCookie(settings)] : []),
    ...(mayBePlain(request, settings) ? [plainCookie(settings)] : []),
  ]
  return forms
    .filter((form) => !cameBack(request, form))
    .map((form) => setCookie(probeOf(form), '1', PROBE_S))
}

/**
 * Returns the cookie as `cookieForm`, if the browser has shown that it keeps it.
 * @throws GatewayError permission_denied as `cookieForm`, and if the browser sent no probe back
 */
export function keptCookieForm(request: Request, settings: SiteSettings): CookieForm {
  const form = cookieForm(request, settings)
  if (!cameBack(request, form)) throw permissionDenied(NO_COOKIE, { code: 'cookie_not_kept' })
  return form
}

const PROBE_S = 3_600
const probeOf = ({ name, secure }: CookieForm): CookieForm => ({ name: `${name}-probe`, secure })

const cameBack = (request: Request, form: CookieForm): boolean =>
  [form, probeOf(form)].some(({ name }) => cookieOf(request, name) !== undefined)

function cookieFor(request: Request, settings: SiteSettings): CookieForm | undefined {
  const own = ownOrigins(request, settings)
  // The Origin header says where the browser is. Without it the safest cookie is assumed, and none is set.
  const named = request.headers.get('origin')
  const origins = named === null ? own : own.filter((origin) => origin === named)
  const may_be_plain = mayBePlain(request, settings)
  const [safe, plain] = [safeCookie(settings), plainCookie(settings)]
  if (!origins.some(isSafe)) return may_be_plain ? plain : undefined
  // WebKit drops Secure cookies over plain HTTP even from this machine (https://bugs.webkit.org/show_bug.cgi?id=232088).
  const is_dropped = may_be_plain && !cameBack(request, safe) && cameBack(request, plain)
  return is_dropped ? plain : safe
}

const LOOPBACK = /^(localhost|.*\.localhost|127(\.\d{1,3}){3}|\[::1\])$/

const isSafe = (origin: string): boolean => {
  const { protocol, hostname } = new URL(origin)
  return protocol === 'https:' || LOOPBACK.test(hostname)
}

const isPlainLoopback = (origin: string): boolean => {
  const { protocol, hostname } = new URL(origin)
  return protocol === 'http:' && LOOPBACK.test(hostname)
}

const NO_COOKIE =
  'Your browser did not keep a cookie, so you cannot be signed in. Allow cookies for this address and reload the page. The link still works.'

const OVER_PLAIN_HTTP =
  'You cannot sign in over plain HTTP from another machine: the password and the session could be read on the way. Put TLS in front of the gateway and set public_url in [server] to its https:// URL; or come through a tunnel (ssh -L 8080:127.0.0.1:8080 …) to http://127.0.0.1:8080; or, in a network that you trust, set insecure_http = true in [console] of tollgate.toml.'
