// The plugins of a gateway: opened in their order, and the type of the application that they make.
import type { AnyElysia, MergeElysiaInstances } from 'elysia'
import type { Sweep } from '../server/sweeping.ts'
import type { Gateway } from '../surface/gateway.ts'
import type { Commands } from './command-line/terminal.ts'
import type { Plugin } from './plugin.ts'

export interface OpenPlugins {
  /** Of those that have any, in the order of the plugins. */
  routes: readonly AnyElysia[]
  sweeps: readonly Sweep[]
  /** Ends them, the last first. */
  close(): Promise<void>
}

/** Opens plugins, and loads their routes but for those of the console. @throws what one throws that cannot be opened */
export async function openPlugins(gateway: Gateway, plugins: readonly Plugin[]): Promise<OpenPlugins> {
  const opened = await Promise.all(plugins.map((plugin) => plugin.open(gateway)))
  gateway.operations.console_routes.push(...opened.map((plugin) => plugin.loadConsoleRoutes))
  const routes = await Promise.all(opened.map((plugin) => plugin.loadRoutes()))
  return {
    routes: routes.filter((each) => each !== undefined),
    sweeps: opened.flatMap((plugin) => plugin.sweeps),
    async close() {
      for (const plugin of opened.toReversed()) await plugin.close()
    },
  }
}

/** The commands of plugins, in the order of the plugins. */
export const commandsOf = (plugins: readonly Plugin[]): Commands =>
  Object.assign({}, ...plugins.map(({ commands }) => commands))

type RoutesOf<Each> = Each extends Plugin<string, infer Routes, AnyElysia> ? Routes : never
type ConsoleRoutesOf<Each> = Each extends Plugin<string, AnyElysia, infer Routes> ? Routes : never

/** The type of the application that plugins make: `treaty<AppOf<…>>` of @elysiajs/eden is a typed client. */
export type AppOf<Plugins extends readonly Plugin[]> = MergeElysiaInstances<{
  -readonly [K in keyof Plugins]: RoutesOf<Plugins[K]>
}>

/** The same of the routes that pages of the console ask. */
export type ConsoleAppOf<Plugins extends readonly Plugin[]> = MergeElysiaInstances<{
  -readonly [K in keyof Plugins]: ConsoleRoutesOf<Plugins[K]>
}>
