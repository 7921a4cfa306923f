// The loading of custom plugins: imports each file, opens the plugin, and checks the routes, hooks and payment methods that it registers.
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
  /** The user that runs the plugins. Default: the user of this process. */
  user?: number | undefined
}

export interface LoadedPlugin {
  /** The file name without `.ts`. */
  name: string
  /** The file name in the plugins folder. */
  file: string
  /** Such as `GET /hello`, in the order of registration. */
  routes: readonly string[]
  hooks: HooksOfPlugin
  mounted: Mounted
  definition: PluginDefinition
  own: unknown
  payments: readonly PaymentProvider[]
}

const LOAD_LIMIT_MS = 10_000

/** Loads plugins one after another. @throws Error with a message for the operator about the first plugin that cannot be loaded */
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
    // The plugin API declares a subset of Elysia's types.
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

/** Opens a plugin, registers its routes and hooks, and runs its checks for the start. @throws Error with the reason of a refusal */
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

/** @throws Error if the plugin has a payment method twice, or shares a route or payment method with another plugin */
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
 * Runs work while `process.exit` and `exit` of node:process throw instead of ending the process. An `exit` that was bound before calls
 * `reallyExit` after the listeners of the event `exit`, so that is replaced, too.
 * @throws errors of `work`; Error if it called `exit`, even if it caught the error
 */
async function withoutExit<T>(work: () => Promise<T>): Promise<T> {
  const { exit, reallyExit } = process
  const exit_called = Promise.withResolvers<never>()
  const refuse: typeof exit = (code) => {
    const refused = new Error(
      `it called process.exit(${code ?? ''}), which would end the gateway; throw an error instead`,
    )
    exit_called.reject(refused)
    throw refused
  }
  Object.assign(process, { exit: refuse, reallyExit: refuse })
  using _restoring = atEnd(() => Object.assign(process, { exit, reallyExit }))
  return await Promise.race([exit_called.promise, work()])
}
