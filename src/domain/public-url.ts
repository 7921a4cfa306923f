// The path of `public_url`: a proxy may serve the gateway below a path, and strip it from requests or pass it on.
import { OWN_BEGINNINGS } from './own-paths.ts'

const PLAIN_PATH = /^(?:\/[\w.~-]+)+$/

/** A cache of one URL, since every request needs its path, and the URL rarely changes. */
let last: { public_url: string; path: string } = { public_url: '', path: '' }

/** Returns the path without a trailing slash, such as `/tollgate`; empty at the root of a host, or if the path is not possible. */
export function publicPathOf(public_url: string | undefined): string {
  if (public_url === undefined) return ''
  if (public_url !== last.public_url) {
    const path = writtenPath(public_url)
    last = { public_url, path: isPossible(path) ? path : '' }
  }
  return last.path
}

/** Whether the gateway cannot be served below the path of a URL. */
export function hasImpossiblePath(public_url: string): boolean {
  const path = writtenPath(public_url)
  return path !== '' && !isPossible(path)
}

/** A path that begins with an own segment would be ambiguous, and console pages find their base path before `/console`. */
function isPossible(path: string): boolean {
  const [, first = '', ...further] = path.toLowerCase().split('/')
  return PLAIN_PATH.test(path) && !OWN_BEGINNINGS.has(first) && !further.includes('console')
}

const writtenPath = (public_url: string): string =>
  URL.canParse(public_url) ? new URL(public_url).pathname.replace(/\/+$/, '') : ''
