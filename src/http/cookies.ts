// Reads a cookie of a request, and writes one for an answer (RFC 6265).

/** Returns the value of a cookie; undefined if the request has none of this name. The first of several counts. */
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
  /** Whether browsers send it only over TLS, or to the local machine. */
  secure: boolean
}

/**
 * Writes a `Set-Cookie` for this host only, which scripts cannot read, and which is not sent with requests of other sites.
 * @param max_age_s 0 to delete it
 */
export const setCookie = ({ name, secure }: CookieForm, value: string, max_age_s: number): string =>
  `${name}=${value}; Path=/; Max-Age=${max_age_s}; HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}`
