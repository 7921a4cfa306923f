// The gateway's address in this browser: at the root of its host, or below the path that a proxy gives it.

/**
 * Returns the gateway's path, such as `/tollgate`; empty at the root. It never has a segment `console`. Repeated slashes at the start
 * of the address are merged, because a path that begins with two slashes would name a host.
 */
export const gatewayPath = (): string => {
  const pathname = location.pathname.replace(/^\/+/, '/')
  const at = pathname.search(/\/console(?:\/|$)/)
  return at < 0 ? '' : pathname.slice(0, at)
}

/** Returns the address to request in this browser. @param path without the gateway's path: `/console/api/live` */
export const addressOf = (path: `/${string}`): string => gatewayPath() + path

/** Returns the gateway's URL in this browser, without a slash at its end. */
export const gatewayUrl = (): string => location.origin + gatewayPath()
