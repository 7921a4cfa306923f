// The plugins of a gateway: opened in order, closed in reverse order, and the type of the application with their routes.
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
  /** The plugins' routes, in order. */
  routes: readonly AnyElysia[]
  sweeps: readonly Sweep[]
  checks: readonly GatewayCheck[]
  /** Closes all plugins, the last first. A failure is logged with the plugin's name, and the others are still closed. */
  close(): Promise<void>
}

/** The results of the plugins' `prepare`. */
export type PreparedParts = ReadonlyMap<Plugin, unknown>

/** @throws the error of the first plugin that refuses the start */
export async function preparePlugins(start: StartParts, plugins: readonly Plugin[]): Promise<PreparedParts> {
  const prepared = new Map<Plugin, unknown>()
  for (const plugin of plugins) prepared.set(plugin, await plugin.prepare(start))
  return prepared
}

/** Opens plugins and loads their routes, except console routes. @throws the error of the first that cannot be opened, with the others closed */
export async function openPlugins(
  gateway: Gateway,
  plugins: readonly Plugin[],
  prepared: PreparedParts = new Map(),
): Promise<OpenPlugins> {
  const opened: OpenPlugin[] = []
  const close = () => closeAll(opened, gateway.calls.log)
  return await orUndo(close, async () => {
    // In order: a plugin may use what an earlier one has registered.
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

/** Returns the sections of tollgate.toml that plugins define. */
export const sectionsOf = (plugins: readonly Plugin[]): Section[] =>
  plugins.flatMap(({ settings }) => settings)

/** Returns the checks of plugins, without a gateway. */
export const checksOf = (plugins: readonly Plugin[]): GatewayCheck[] =>
  plugins.flatMap(({ checks }) => checks)

/** Returns the commands of plugins, in order. Several plugins may add to one group, such as `account`. */
export function commandsOf(plugins: readonly Plugin[]): Commands {
  const groups = new Map<string, Commands[string]>()
  for (const [name, load] of plugins.flatMap(({ commands }) => Object.entries(commands)))
    groups.set(name, combined(groups.get(name), load))
  return Object.fromEntries(groups)
}

function combined(first: Commands[string] | undefined, second: Commands[string]): Commands[string] {
  if (!first) return second
  return async () => {
    const both = await Promise.all([first(), second()])
    return (program, deps) => {
      for (const add of both) add(program, deps)
    }
  }
}

/** Returns all tables of the database: the core's, then the plugins' in order. */
export async function tablesOf(plugins: readonly Plugin[]): Promise<readonly StoredTable[]> {
  const { CORE_TABLES } = await import('../store/tables/core.ts')
  const of_plugins = await Promise.all(plugins.map((plugin) => plugin.loadTables()))
  return [...CORE_TABLES, ...of_plugins.flat()]
}

type RoutesOf<Each> = Each extends Plugin<infer Routes, AnyElysia> ? Routes : never
type ConsoleRoutesOf<Each> = Each extends Plugin<AnyElysia, infer Routes> ? Routes : never

/** The type of the application with the plugins' routes: `treaty<AppOf<…>>` of @elysiajs/eden is a typed client. */
export type AppOf<Plugins extends readonly Plugin[]> = MergeElysiaInstances<{
  -readonly [K in keyof Plugins]: RoutesOf<Plugins[K]>
}>

/** The type of the application with the plugins' console routes. */
export type ConsoleAppOf<Plugins extends readonly Plugin[]> = MergeElysiaInstances<{
  -readonly [K in keyof Plugins]: ConsoleRoutesOf<Plugins[K]>
}>
