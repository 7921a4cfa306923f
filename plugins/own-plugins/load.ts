// The loading of custom plugins: each file is imported, its function called, and what it registered is looked at.
import { pathToFileURL } from 'node:url'
import { Elysia, t } from 'elysia'
import type { PluginParts, TollgatePlugin } from '../../src/plugin-api.ts'
import { atEnd } from '../../src/utilities/at-end.ts'
import { withinTime } from '../../src/utilities/time-limit.ts'
import { baseApp } from '../../src/app/surface/base-app.ts'
import type { Requests } from '../../src/app/surface/gateway.ts'
import type { OwnPlugin } from './own-plugin.ts'
import type { PluginFile } from './files.ts'
import { type HandedParts, handTo } from './handed.ts'
import { refuseForeignOwners } from './owners.ts'
import { pluginRefusal } from './refusal.ts'
import { areSame, type Mounted, nameOf, routesOf } from './routes.ts'

export interface LoadParts extends HandedParts, Pick<Requests, 'newRequestId' | 'error_answers'> {
  /** A plugin may take this long. */
  load_limit_ms?: number | undefined
  /** The user that runs them: that of this process where absent. */
  user?: number | undefined
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
  { load_limit_ms = LOAD_LIMIT_MS, user = process.geteuid?.(), ...parts }: LoadParts,
): Promise<LoadedPlugin> {
  const { gateway, hooks, close } = handTo(name, parts)
  using _closing = atEnd(close)
  const app = baseApp({ exchange: parts, requests: parts })
  try {
    refuseForeignOwners(path, user)
    // Elysia's own types say more than a plugin needs to know.
    const handed = { app, Elysia, t, gateway } as unknown as PluginParts
    await withoutExit(() => withinTime(load_limit_ms, () => run(path, handed, app)))
    const routes = routesOf(app)
    return { name, file, routes: routes.map(nameOf), hooks, mounted: { app, routes } }
  } catch (thrown) {
    throw pluginRefusal(path, thrown)
  }
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

/** @throws Error if another plugin has a route already */
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

/**
 * Runs work during which nothing can end the process by `process.exit`.
 *
 * @throws what `work` throws; Error if `process.exit` was called, also where that was caught
 */
async function withoutExit<T>(work: () => Promise<T>): Promise<T> {
  const { exit } = process
  const called = Promise.withResolvers<never>()
  process.exit = (code) => {
    const refused = new Error(
      `it called process.exit(${code ?? ''}), which would end the gateway; throw an error instead`,
    )
    called.reject(refused)
    throw refused
  }
  using _restoring = atEnd(() => {
    process.exit = exit
  })
  return await Promise.race([called.promise, work()])
}
