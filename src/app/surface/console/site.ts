// The console as the browser reaches it: which origin is its own, and which cookie can keep a session there.
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
 * Browsers take it from TLS only, most of them also from this machine, and no other host can set it: for that it must be of the whole host,
 * so a gateway below a path has this in the name. Another gateway of the host does not sign it out.
 */
const safeCookie = (settings: SiteSettings): CookieForm => ({
  name: `__Host-tollgate${suffixOf(settings)}`,
  secure: true,
})
/** For plain HTTP: from this machine where a browser drops the safe one, and from others where the operator allows it. */
const plainCookie = (settings: SiteSettings): CookieForm => ({
  name: `tollgate${suffixOf(settings)}`,
  secure: false,
})

const suffixOf = ({ public_url }: SiteSettings): string => publicPathOf(public_url).replaceAll('/', '.')

/**
 * The origins whose pages are the console's own: that of `public_url`, and that of the request's own URL. Behind a proxy that
 * speaks TLS the latter is `http`, which only counts where `public_url` says nothing of this host.
 */
export function ownOrigins({ url }: Request, { public_url }: SiteSettings): string[] {
  const requested = new URL(url)
  if (public_url === undefined) return [requested.origin]
  const stated = new URL(public_url)
  return stated.host === requested.host ? [stated.origin] : [stated.origin, requested.origin]
}

const SAFE_METHODS = new Set(['GET', 'HEAD'])

/**
 * Refuses what a page of another site sent (https://cheatsheetseries.owasp.org/cheatsheets/Cross-Site_Request_Forgery_Prevention_Cheat_Sheet.html):
 * whatever changes something must name our own origin, as all browsers do by themselves.
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
 * The session's token that a request carries. The cookie without the prefix counts only where no other could have been set:
 * whoever is on the way of some plain HTTP can plant it for the pages that are reached by TLS, too.
 */
export function tokenOf(request: Request, settings: SiteSettings): string | undefined {
  const token = cookieOf(request, safeCookie(settings).name)
  if (token !== undefined || !mayBePlain(request, settings)) return token
  return cookieOf(request, plainCookie(settings).name)
}

/** Whether the cookie without the prefix is read and set: no page of this console is reached by TLS. */
function mayBePlain(request: Request, settings: SiteSettings): boolean {
  const own = ownOrigins(request, settings)
  return own.every(isPlainLoopback) || (settings.insecure_http && !own.every(isSafe))
}

/** Why nobody can sign in here; undefined if they can. */
export function signInRefusal(request: Request, settings: SiteSettings): string | undefined {
  return cookieFor(request, settings) === undefined ? OVER_PLAIN_HTTP : undefined
}

/**
 * The cookie that can keep a session in this browser.
 * @throws GatewayError permission_denied over plain HTTP from another machine
 */
export function cookieForm(request: Request, settings: SiteSettings): CookieForm {
  const form = cookieFor(request, settings)
  if (form === undefined) throw permissionDenied(OVER_PLAIN_HTTP, { code: 'insecure_connection' })
  return form
}

/** Both, so that no session is left in either when somebody signs out. */
export const cookieForms = (settings: SiteSettings): CookieForm[] => [
  safeCookie(settings),
  plainCookie(settings),
]

/**
 * A `Set-Cookie` for each cookie that might keep a session here and has not come back yet. They hold nothing: the one that
 * comes back says which of the cookies this browser keeps, before a password or a link depends on it.
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
 * The same as `cookieForm`, once the browser has shown that it keeps this cookie.
 * @throws GatewayError permission_denied as `cookieForm`, and if no cookie came back
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
  // The browser may name the one that it is at; otherwise the best is assumed: nothing is set then.
  const named = request.headers.get('origin')
  const origins = named === null ? own : own.filter((origin) => origin === named)
  const may_be_plain = mayBePlain(request, settings)
  const [safe, plain] = [safeCookie(settings), plainCookie(settings)]
  if (!origins.some(isSafe)) return may_be_plain ? plain : undefined
  // WebKit drops what is Secure over plain HTTP from this machine, too (https://bugs.webkit.org/show_bug.cgi?id=232088).
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
