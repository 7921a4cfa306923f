// The loading of plugins of one's own: each file is imported, its function called, and what it registered is looked at.
import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Elysia, t } from 'elysia'
import { withinTime } from '../../domain/time-limit.ts'
import type { PluginParts, TollgatePlugin } from '../../plugin-api.ts'
import { baseApp } from '../../surface/base-app.ts'
import type { Gateway } from '../../surface/gateway.ts'
import type { OwnPlugin } from '../../surface/own-plugin.ts'
import type { PluginFile } from './files.ts'
import { type HandedParts, handTo } from './handed.ts'
import { pluginRefusal } from './refusal.ts'
import { areSame, type Mounted, nameOf, routesOf } from './routes.ts'

export interface LoadParts extends HandedParts, Pick<Gateway, 'newRequestId' | 'error_answers'> {
  /** A plugin may take this long. */
  load_limit_ms?: number | undefined
}

/** A plugin that was loaded, and its application. */
export interface LoadedPlugin extends OwnPlugin {
  mounted: Mounted
}

const LOAD_LIMIT_MS = 10_000

/**
 * Loads plugins one after the other.
 *
 * @throws Error with a text for the operator: the first that cannot be loaded, and why
 */
export async function loadPlugins(files: readonly PluginFile[], parts: LoadParts): Promise<LoadedPlugin[]> {
  const loaded: LoadedPlugin[] = []
  for (const file of files) {
    const plugin = await loadPlugin(file, parts)
    assertDistinct(file, plugin, loaded)
    loaded.push(plugin)
  }
  return loaded
}

/** @throws Error as `loadPlugins` */
export async function loadPlugin(
  { name, file, path }: PluginFile,
  { load_limit_ms = LOAD_LIMIT_MS, ...parts }: LoadParts,
): Promise<LoadedPlugin> {
  const { gateway, hooks, close } = handTo(name, parts)
  const app = baseApp(parts)
  try {
    assertOnlyOwners(path)
    // Elysia's own types say more than a plugin needs to know.
    const handed = { app, Elysia, t, gateway } as unknown as PluginParts
    await withinTime(load_limit_ms, () => run(path, handed, app))
    const routes = routesOf(app)
    return { name, file, routes: routes.map(nameOf), hooks, mounted: { app, routes } }
  } catch (thrown) {
    throw pluginRefusal(path, thrown)
  } finally {
    close()
  }
}

const WRITABLE_BY_ALL = 0o002

/** What everybody may write to, everybody could have run with the gateway's rights. @throws Error */
function assertOnlyOwners(path: string): void {
  for (const one of [dirname(path), path])
    if ((statSync(one).mode & WRITABLE_BY_ALL) !== 0)
      throw new Error(`everybody on this machine may write to ${one}; run \`chmod o-w ${one}\``)
}

async function run(path: string, handed: PluginParts, app: ReturnType<typeof baseApp>): Promise<void> {
  // An address, since a path may hold what has a meaning in one: `?`, `#`, `%`.
  const module: { default?: unknown } = await import(pathToFileURL(path).href)
  const { default: plugin } = module
  if (typeof plugin !== 'function')
    throw new Error(
      'it has no default export that is a function; write `export default ({ app, gateway }) => { … }`',
    )
  const returned: unknown = await (plugin as TollgatePlugin)(handed)
  if (returned === undefined || returned === app) return
  if (!(returned instanceof Elysia))
    throw new Error('its function returned something else than nothing, app, or an instance of Elysia')
  app.use(returned)
}

/** @throws Error where another plugin has a route already */
export function assertDistinct(
  { path }: PluginFile,
  { mounted }: LoadedPlugin,
  others: readonly LoadedPlugin[],
): void {
  for (const other of others) {
    const twice = mounted.routes.find((route) => other.mounted.routes.some((taken) => areSame(route, taken)))
    if (twice)
      throw pluginRefusal(
        path,
        new Error(`its route ${nameOf(twice)} is also one of the plugin ${other.file}`),
      )
  }
}
