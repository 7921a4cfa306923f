// The loading of custom plugins: each file is imported, its function called, and what it registered is looked at.
import type { TObject } from '@sinclair/typebox'
import { Elysia, t } from 'elysia'
import { baseApp } from '../../src/app/surface/base-app.ts'
import type { Requests } from '../../src/app/surface/gateway.ts'
import type { HooksOfPlugin } from '../../src/calls/hooks/registered.ts'
import type { PaymentProvider } from '../../src/payment-api.ts'
import type { PluginDefinition, PluginParts } from '../../src/plugin-api.ts'
import { atEnd } from '../../src/utilities/at-end.ts'
import { withoutTrailing } from '../../src/utilities/text-ends.ts'
import { withinTime } from '../../src/utilities/time-limit.ts'
import { checkedMethod } from '../payments/index.ts'
import { importPlugin } from './definition.ts'
import { type PluginFile, refuseForeignOwners } from './files.ts'
import { type GatewayParts, gatewayFor } from './plugin-gateway.ts'
import { pluginRefusal } from './refusal.ts'
import { areSame, type Mounted, nameOf, routesOf } from './routes.ts'
import { settingsOf } from './settings.ts'

export interface LoadParts extends GatewayParts, Pick<Requests, 'newRequestId' | 'error_answers'> {
  load_limit_ms?: number | undefined
  /** The user that runs them: that of this process where absent. */
  user?: number | undefined
}

export interface LoadedPlugin {
  /** Its file without `.ts`. */
  name: string
  /** In the folder of the plugins. */
  file: string
  /** `GET /hello`, in the order in which it registered them. */
  routes: readonly string[]
  hooks: HooksOfPlugin
  mounted: Mounted
  definition: PluginDefinition
  own: unknown
  payments: readonly PaymentProvider[]
}

const LOAD_LIMIT_MS = 10_000

/** Loads plugins one after the other. @throws Error with a text for the operator: the first that cannot be loaded, and why */
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
  const { gateway, hooks, close } = gatewayFor(name, parts)
  using _closing = atEnd(close)
  const app = baseApp({ calls: parts, requests: parts })
  try {
    refuseForeignOwners(path, user)
    // Elysia's own types say more than a plugin needs to know.
    const plugin_parts = { app, Elysia, t, gateway } as unknown as PluginParts
    const opened = await withoutExit(() =>
      withinTime(load_limit_ms, async () => {
        const definition = await importPlugin(path)
        const schema = definition.settings?.(plugin_parts.t) as TObject | undefined
        const settings = settingsOf(name, schema, parts)
        return await open(definition, plugin_parts, settings, { app, log: parts.log })
      }),
    )
    const routes = routesOf(app)
    return { name, file, routes: routes.map(nameOf), hooks, mounted: { app, routes }, ...opened }
  } catch (thrown) {
    throw pluginRefusal(path, thrown)
  }
}

/** Opens a plugin, lets it register its routes and hooks, and makes its checks of a start. @throws Error that refuses it */
async function open(
  definition: PluginDefinition,
  plugin_parts: PluginParts,
  settings: () => unknown,
  { app, log }: { app: ReturnType<typeof baseApp> } & Pick<LoadParts, 'log'>,
): Promise<Pick<LoadedPlugin, 'definition' | 'own' | 'payments'>> {
  const { before_call, on, checks = [] } = definition
  const own: unknown = await definition.open?.(plugin_parts, settings)
  const returned: unknown = await definition.routes?.(own, plugin_parts)
  if (returned instanceof Elysia && returned !== app) app.use(returned)
  else if (returned !== undefined && returned !== app)
    throw new Error('its function returned something else than nothing, app, or an instance of Elysia')
  if (before_call) plugin_parts.gateway.beforeCall((call) => before_call(own, call))
  const { settled } = on ?? {}
  if (settled) plugin_parts.gateway.afterSettle((record) => settled(own, record))
  for (const { name, when, look } of checks) {
    const finding = when.includes('start') ? await look(own) : undefined
    if (finding)
      throw new Error(`its check ${name} found: ${withoutTrailing(finding.found, '.')}. ${finding.advice}`)
  }
  const methods: unknown = (await definition.payments?.(own, plugin_parts)) ?? []
  if (!Array.isArray(methods)) throw new Error('its function payments must return a list')
  const payments = methods.map((method: unknown) => checkedMethod(method, log))
  return { definition, own, payments }
}

/** @throws Error if it has a payment method twice, or another plugin has a route or payment method already */
export function assertDistinct(
  { path }: PluginFile,
  { mounted, payments }: LoadedPlugin,
  others: readonly LoadedPlugin[],
): void {
  const taken = others.flatMap((other) => other.payments)
  for (const [at, { name }] of payments.entries())
    if ([...taken, ...payments.slice(0, at)].some((other) => other.name === name))
      throw pluginRefusal(path, new Error(`its payment method "${name}" exists twice; choose another name`))
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
 * Runs work during which neither `process.exit` nor an `exit` of node:process ends the process. One that was bound before goes through
 * `reallyExit`, once the listeners to the event `exit` have run.
 * @throws what `work` throws; Error if the process would have ended, also where that was caught
 */
async function withoutExit<T>(work: () => Promise<T>): Promise<T> {
  const { exit, reallyExit } = process
  const called = Promise.withResolvers<never>()
  const refuse: typeof exit = (code) => {
    const refused = new Error(
      `it called process.exit(${code ?? ''}), which would end the gateway; throw an error instead`,
    )
    called.reject(refused)
    throw refused
  }
  Object.assign(process, { exit: refuse, reallyExit: refuse })
  using _restoring = atEnd(() => Object.assign(process, { exit, reallyExit }))
  return await Promise.race([called.promise, work()])
}
