// Requests with the path of `public_url` in their address, from a proxy that does not strip it.

/**
 * Strips the path from the address, so that routes need only the gateway's own paths. The request stays the same object, because
 * the server finds its socket by it.
 * @param path such as `/tollgate`, without a slash at its end
 */
export function leavePublicPath(request: Request, path: string): void {
  const { url } = request
  const at = url.indexOf('/', url.indexOf('//') + 2)
  if (at < 0 || !url.startsWith(path, at)) return
  const rest = url.slice(at + path.length)
  const has_slash = rest.startsWith('/')
  if (rest !== '' && !has_slash && !rest.startsWith('?')) return
  // Azure's addresses are written anew after it (azure-paths.ts).
  Object.defineProperty(request, 'url', {
    value: `${url.slice(0, at)}${has_slash ? '' : '/'}${rest}`,
    configurable: true,
  })
}
