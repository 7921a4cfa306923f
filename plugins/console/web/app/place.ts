// Where the gateway is in this browser: at the root of its host, or below the path that a proxy gives it.

/**
 * The gateway's own path, such as `/tollgate`; empty at the root. No path of a gateway has a part `console`. A proxy may have merged
 * slashes, and an address that begins with two of them would name a host.
 */
export const gatewayPath = (): string => {
  const pathname = location.pathname.replace(/^\/+/, '/')
  const at = pathname.search(/\/console(?:\/|$)/)
  return at < 0 ? '' : pathname.slice(0, at)
}

/** An address of the gateway, as the browser asks for it. @param path as the gateway knows it: `/console/api/live` */
export const addressOf = (path: `/${string}`): string => gatewayPath() + path

/** The gateway's URL as this browser knows it, without a slash at its end. */
export const gatewayUrl = (): string => location.origin + gatewayPath()
