// Cookies: one of them read from a request, and written for an answer (RFC 6265).

/** The value of a cookie; undefined if the request has none of this name. The first of several counts. */
export function cookieOf({ headers }: Request, name: string): string | undefined {
  const start = `${name}=`
  for (const pair of (headers.get('cookie') ?? '').split(';')) {
    const cookie = pair.trim()
    if (cookie.startsWith(start)) return cookie.slice(start.length)
  }
  return undefined
}

export interface CookieForm {
  name: string
  /** Whether browsers send it over TLS only, and to this machine. */
  secure: boolean
}

/**
 * A `Set-Cookie` for this host alone, which no script can read and no other site's page sends along.
 * @param max_age_s 0: deletes it
 */
export const setCookie = ({ name, secure }: CookieForm, value: string, max_age_s: number): string =>
  `${name}=${value}; Path=/; Max-Age=${max_age_s}; HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}`
