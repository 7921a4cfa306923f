// The console as the browser reaches it: which origin is its own, and which cookie can keep a session there.
import type { ServerSettings } from '../../src/domain/catalogue.ts'
import { invalidRequest, permissionDenied } from '../../src/domain/errors.ts'
import { type CookieForm, cookieOf } from '../../src/http/cookies.ts'

/** Browsers take it from TLS and from this machine only, and no other host can set it. */
const SAFE_COOKIE: CookieForm = { name: '__Host-tollgate', secure: true }
/** For plain HTTP from other machines, where the operator allows it. */
const PLAIN_COOKIE: CookieForm = { name: 'tollgate', secure: false }

export interface SiteSettings {
  public_url: ServerSettings['public_url']
  /** `[console] insecure_http` */
  insecure_http: boolean
}

/**
 * The origins whose pages are the console's own: that of `public_url`, and that of the request's own URL. Behind a proxy that
 * speaks TLS the latter is `http`, which only counts where `public_url` says nothing of this host.
 */
export function ownOrigins({ url }: Request, { public_url }: SiteSettings): string[] {
  const asked = new URL(url)
  if (public_url === undefined) return [asked.origin]
  const stated = new URL(public_url)
  return stated.host === asked.host ? [stated.origin] : [stated.origin, asked.origin]
}

const SAFE_METHODS = new Set(['GET', 'HEAD'])

/**
 * Refuses what a page of another site sent (https://cheatsheetseries.owasp.org/cheatsheets/Cross-Site_Request_Forgery_Prevention_Cheat_Sheet.html):
 * whatever changes something must name our own origin, as all browsers do by themselves.
 *
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

/** @throws GatewayError invalid_request for a body that is not JSON */
export function requireJson({ headers }: Request): void {
  const type = headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
  if (type !== 'application/json')
    throw invalidRequest('The request body must be JSON. Send it with Content-Type: application/json.')
}

/**
 * The session's token that a request carries. The cookie without the prefix counts only where no other could have been set:
 * whoever is on the way of some plain HTTP can plant it for the pages that are reached by TLS, too.
 */
export function tokenOf(request: Request, settings: SiteSettings): string | undefined {
  const token = cookieOf(request, SAFE_COOKIE.name)
  if (token !== undefined || !settings.insecure_http) return token
  return ownOrigins(request, settings).every(isSafe) ? undefined : cookieOf(request, PLAIN_COOKIE.name)
}

/** Why nobody can sign in here; undefined if they can. */
export function signInRefusal(request: Request, settings: SiteSettings): string | undefined {
  return cookieFor(request, settings) === undefined ? OVER_PLAIN_HTTP : undefined
}

/**
 * The cookie that can keep a session in this browser.
 *
 * @throws GatewayError permission_denied over plain HTTP from another machine
 */
export function cookieForm(request: Request, settings: SiteSettings): CookieForm {
  const form = cookieFor(request, settings)
  if (form === undefined) throw permissionDenied(OVER_PLAIN_HTTP, { code: 'insecure_connection' })
  return form
}

/** Both, so that no session is left in either when somebody signs out. */
export const COOKIE_FORMS: readonly CookieForm[] = [SAFE_COOKIE, PLAIN_COOKIE]

function cookieFor(request: Request, settings: SiteSettings): CookieForm | undefined {
  const own = ownOrigins(request, settings)
  // Which of them the browser is at is known where it says so, and otherwise the best is assumed: nothing is set then.
  const named = request.headers.get('origin')
  const origins = named === null ? own : own.filter((origin) => origin === named)
  if (origins.some(isSafe)) return SAFE_COOKIE
  return settings.insecure_http ? PLAIN_COOKIE : undefined
}

const LOOPBACK = /^(localhost|.*\.localhost|127(\.\d{1,3}){3}|\[::1\])$/

const isSafe = (origin: string): boolean => {
  const { protocol, hostname } = new URL(origin)
  return protocol === 'https:' || LOOPBACK.test(hostname)
}

const OVER_PLAIN_HTTP =
  'Nobody can sign in over plain HTTP from another machine: the password and the session could be read on the way. Put TLS in front of the gateway and set public_url in [server] to its https:// URL; or come through a tunnel (ssh -L 8080:127.0.0.1:8080 …) to http://127.0.0.1:8080; or, in a network that you trust, set insecure_http = true in [console] of tollgate.toml.'
