// Removal of the path of `public_url` from requests, if a proxy does not strip it.

/**
 * Strips the path from a request's URL, so that routes need only the gateway's own paths. The object stays the same, since
 * the server finds its socket by it.
 * @param path such as `/tollgate`, without a trailing slash
 */
export function leavePublicPath(request: Request, path: string): void {
  const { url } = request
  const at = url.indexOf('/', url.indexOf('//') + 2)
  if (at < 0 || !url.startsWith(path, at)) return
  const rest = url.slice(at + path.length)
  const has_slash = rest.startsWith('/')
  if (rest !== '' && !has_slash && !rest.startsWith('?')) return
  // Configurable, since Azure URLs are replaced afterwards (azure-paths.ts).
  Object.defineProperty(request, 'url', {
    value: `${url.slice(0, at)}${has_slash ? '' : '/'}${rest}`,
    configurable: true,
  })
}
