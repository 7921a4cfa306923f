// The path of `public_url`: a proxy may serve the gateway below one, and strip it from the addresses or pass it on.
import { OWN_BEGINNINGS } from './own-paths.ts'

const PLAIN_PATH = /^(?:\/[\w.~-]+)+$/

/** The path of the last URL: every request needs it, and the URL rarely changes. */
let last: { public_url: string; path: string } = { public_url: '', path: '' }

/** The path without a slash at its end, such as `/tollgate`; empty at the root of a host, or for a path that the gateway cannot be served below. */
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

/** Below one of the gateway's own paths, an address with the path looks like one without it. The console's pages find their path before `/console`. */
function isPossible(path: string): boolean {
  const [, first = '', ...further] = path.toLowerCase().split('/')
  return PLAIN_PATH.test(path) && !OWN_BEGINNINGS.has(first) && !further.includes('console')
}

const writtenPath = (public_url: string): string =>
  URL.canParse(public_url) ? new URL(public_url).pathname.replace(/\/+$/, '') : ''
