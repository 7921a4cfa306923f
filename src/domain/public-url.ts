// The path of `public_url`: a proxy may serve the gateway below one, and take it off the addresses or pass it on.

const PLAIN_PATH = /^(?:\/[\w.~-]+)+$/
/** The first parts of the gateway's own paths. Below one of them an address with the path could not be told from one without it. */
const OWN = /^\/(?:api|console|docs|healthz|openai|readyz|v1|v1beta|v2)(?:\/|$)|\/console(?:\/|$)/

/** Of the last URL, since every request asks, and the URL rarely changes. */
let last: { public_url: string; path: string } = { public_url: '', path: '' }

/** The path without a slash at its end, such as `/tollgate`; empty where the gateway has a host name of its own, or for a path that it cannot have. */
export function publicPathOf(public_url: string | undefined): string {
  if (public_url === undefined) return ''
  if (public_url !== last.public_url) {
    const path = writtenPath(public_url)
    last = { public_url, path: isPossible(path) ? path : '' }
  }
  return last.path
}

/** Whether a URL has a path that the gateway cannot be served below. */
export function hasImpossiblePath(public_url: string): boolean {
  const path = writtenPath(public_url)
  return path !== '' && !isPossible(path)
}

const isPossible = (path: string): boolean => PLAIN_PATH.test(path) && !OWN.test(path)

const writtenPath = (public_url: string): string =>
  URL.canParse(public_url) ? new URL(public_url).pathname.replace(/\/+$/, '') : ''
