// The routes of custom plugins: the check of their paths, and their mounting next to the gateway's routes.
import type { AnyElysia } from 'elysia'
import { OWN_BEGINNINGS } from '../../src/domain/own-paths.ts'

interface PluginRoute {
  method: string
  path: string
}

/** Returns the routes that a plugin has registered. @throws Error that names a forbidden route */
export function routesOf(app: AnyElysia): PluginRoute[] {
  const routes = (app.routes as PluginRoute[]).map(({ method, path }) => ({ method, path }))
  for (const route of routes) assertAllowed(route)
  return routes
}

function assertAllowed({ method, path }: PluginRoute): void {
  const route = `its route ${method} ${path}`
  if (method === 'WS')
    throw new Error(`${route} is a WebSocket, which plugins cannot serve; use another method`)
  const [first = ''] = path.replace(/^\//, '').split('/')
  if (first === '' || /[:*?%]/.test(first))
    throw new Error(
      `${route} could stand for paths of the gateway; begin it with a name, such as /hello${path}`,
    )
  if (OWN_BEGINNINGS.has(first.toLowerCase()))
    throw new Error(
      `${route} is under /${first}, which the gateway uses; choose another path, such as /hello${path}`,
    )
}

export interface Mounted {
  app: AnyElysia
  routes: readonly PluginRoute[]
}

/**
 * Mounts the routes next to the gateway's. The plugin's own application answers each of them, so that its other hooks there, such as
 * `onRequest`, affect only its own routes.
 */
export function mount(root: AnyElysia, { app, routes }: Mounted): void {
  for (const { method, path } of routes)
    root.route(method, path, ({ request }) => app.handle(request), {
      parse: 'none',
      detail: { hide: true },
    })
}

/** The name of a route in lists, such as `GET /hello`. */
export const nameOf = ({ method, path }: PluginRoute): string => `${method} ${path}`

/** Whether two routes answer the same requests: the names of parameters do not matter, and ALL is every method. */
export function areSame(one: PluginRoute, other: PluginRoute): boolean {
  const methods = new Set([one.method, other.method])
  return (methods.size === 1 || methods.has('ALL')) && placeOf(one) === placeOf(other)
}

const placeOf = ({ path }: PluginRoute): string => path.replace(/:[^/]+/g, ':')
