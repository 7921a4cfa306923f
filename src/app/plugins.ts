// The plugins of a gateway: opened one after another, closed in the opposite order, and the types of the applications that they make.
import type { AnyElysia, MergeElysiaInstances } from 'elysia'
import type { Section } from '../catalogue/sections.ts'
import type { Logger } from '../observe/log.ts'
import type { StoredTable } from '../store/stored-table.ts'
import { orUndo } from '../utilities/at-end.ts'
import type { GatewayCheck } from './checks/check.ts'
import type { Commands } from './command-line/terminal.ts'
import type { OpenPlugin, Plugin } from './plugin.ts'
import type { StartParts } from './process/serve-options.ts'
import type { Sweep } from './process/sweeps.ts'
import type { Gateway } from './surface/gateway.ts'

export interface OpenPlugins {
  /** Of the plugins that have any, in their order. */
  routes: readonly AnyElysia[]
  sweeps: readonly Sweep[]
  checks: readonly GatewayCheck[]
  /** Closes them, the last first. A failure is logged with the plugin's name, and the others are closed. */
  close(): Promise<void>
}

/** The parts that plugins made before there was a gateway. */
export type PreparedParts = ReadonlyMap<Plugin, unknown>

/** @throws the failure of the first that refuses the start */
export async function preparePlugins(start: StartParts, plugins: readonly Plugin[]): Promise<PreparedParts> {
  const prepared = new Map<Plugin, unknown>()
  for (const plugin of plugins) prepared.set(plugin, await plugin.prepare(start))
  return prepared
}

/** Opens plugins, and loads their routes but for those of the console. @throws the failure of the first that cannot be opened; the others are closed */
export async function openPlugins(
  gateway: Gateway,
  plugins: readonly Plugin[],
  prepared: PreparedParts = new Map(),
): Promise<OpenPlugins> {
  const opened: OpenPlugin[] = []
  const close = () => closeAll(opened, gateway.calls.log)
  return await orUndo(close, async () => {
    // One after another: a later one may find what an earlier one has made.
    for (const plugin of plugins) opened.push(await plugin.open(gateway, prepared.get(plugin)))
    const routes = await Promise.all(opened.map((plugin) => plugin.loadRoutes()))
    gateway.operations.console_routes.push(...opened.map((plugin) => plugin.loadConsoleRoutes))
    gateway.operations.references.push(...opened.flatMap(({ loadReference }) => loadReference ?? []))
    const checks = opened.flatMap((plugin) => plugin.checks)
    gateway.operations.checks.push(...checks)
    return {
      routes: routes.filter((each) => each !== undefined),
      sweeps: opened.flatMap((plugin) => plugin.sweeps),
      checks,
      close,
    }
  })
}

async function closeAll(opened: OpenPlugin[], log: Pick<Logger, 'error'>): Promise<void> {
  for (let plugin = opened.pop(); plugin; plugin = opened.pop()) {
    try {
      await plugin.close()
    } catch (cause) {
      log.error({ plugin: plugin.name, cause }, 'a plugin could not be closed')
    }
  }
}

/** The sections of tollgate.toml that plugins bring. */
export const sectionsOf = (plugins: readonly Plugin[]): Section[] =>
  plugins.flatMap(({ settings }) => settings)

/** The checks of plugins, without a gateway. */
export const checksOf = (plugins: readonly Plugin[]): GatewayCheck[] =>
  plugins.flatMap(({ checks }) => checks)

/** The commands of plugins, in the order of the plugins. Several may add to one group, such as `account`. */
export function commandsOf(plugins: readonly Plugin[]): Commands {
  const groups = new Map<string, Commands[string]>()
  for (const [name, load] of plugins.flatMap(({ commands }) => Object.entries(commands)))
    groups.set(name, inOrder(groups.get(name), load))
  return Object.fromEntries(groups)
}

function inOrder(first: Commands[string] | undefined, second: Commands[string]): Commands[string] {
  if (!first) return second
  return async () => {
    const both = await Promise.all([first(), second()])
    return (program, deps) => {
      for (const add of both) add(program, deps)
    }
  }
}

/** All tables of the database: the core's, then those of plugins in their order. */
export async function tablesOf(plugins: readonly Plugin[]): Promise<readonly StoredTable[]> {
  const { CORE_TABLES } = await import('../store/tables/core.ts')
  const of_plugins = await Promise.all(plugins.map((plugin) => plugin.loadTables()))
  return [...CORE_TABLES, ...of_plugins.flat()]
}

type RoutesOf<Each> = Each extends Plugin<infer Routes, AnyElysia> ? Routes : never
type ConsoleRoutesOf<Each> = Each extends Plugin<AnyElysia, infer Routes> ? Routes : never

/** The type of the application that plugins make: `treaty<AppOf<…>>` of @elysiajs/eden is a typed client. */
export type AppOf<Plugins extends readonly Plugin[]> = MergeElysiaInstances<{
  -readonly [K in keyof Plugins]: RoutesOf<Plugins[K]>
}>

/** The same of the routes for pages of the console. */
export type ConsoleAppOf<Plugins extends readonly Plugin[]> = MergeElysiaInstances<{
  -readonly [K in keyof Plugins]: ConsoleRoutesOf<Plugins[K]>
}>
