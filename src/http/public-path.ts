// Requests whose address has the path of `public_url`, as a proxy passes it on that does not take it off.

/**
 * Takes the path off the address, so that all that comes after knows the gateway's own paths alone. The request stays the same
 * object, by which the server knows its socket.
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
