// The definition of a plugin: one object that describes a whole capability.
import type { AnyElysia, Elysia } from 'elysia'
import type { CoreEvents, EventName } from '../calls/life/events.ts'
import type { Section } from '../catalogue/sections.ts'
import type { Catalogue } from '../domain/catalogue.ts'
import type { Db } from '../store/db.ts'
import type { StoredTable } from '../store/stored-table.ts'
import type { WorkLocation } from '../store/work-folder.ts'
import type { Check, CheckContext, CheckTime, GatewayCheck, ReadContext } from './checks/check.ts'
import type { Commands } from './command-line/terminal.ts'
import type { StartParts } from './process/serve-options.ts'
import type { LoadProvider } from './process/simulator.ts'
import type { Sweep } from './process/sweeps.ts'
import type { Reference } from './reference/operation.ts'
import type { Gateway } from './surface/gateway.ts'

/**
 * The parts of a capability. Everything except the name is optional. Every command loads this object, so it must import nothing heavy:
 * each function imports what it needs.
 */
interface PluginSpec<
  Own,
  Routes extends AnyElysia,
  ConsoleRoutes extends AnyElysia,
  Settings = undefined,
  Prepared = undefined,
> {
  /** Its name in the log and in messages, usually that of its folder. */
  name: string
  /** Its sections of tollgate.toml, from `defineSection`. The functions receive the first one's settings, and read the others themselves. */
  settings?: Section<Settings> | readonly [Section<Settings>, ...Section[]]
  /** Its tables, with their rules of personal data. Their SQL is in the migrations of both engines. */
  tables?: () => Promise<readonly StoredTable[]>
  /** Work folders of its commands outside the data folder: a start removes what killed commands left there. */
  leftovers?: () => readonly WorkLocation[]
  /** May refuse a start before anything in the data folder is changed, by an error that says what to do. `open` receives its result. */
  prepare?: (start: StartParts, settings: () => Settings) => Prepared | Promise<Prepared>
  /**
   * Creates its running part, once, before the gateway listens. The other functions receive it as `own`.
   * @param settings reads the settings in force; call it at each use, since the file may change
   */
  open?: (gateway: Gateway, settings: () => Settings, prepared: Prepared) => Own | Promise<Own>
  /** Event listeners. A listener must return at once: some events occur between a call and its answer. */
  on?: { readonly [Name in EventName]?: (own: Own, event: CoreEvents[Name], gateway: Gateway) => void }
  /**
   * Its routes, as an Elysia instance with a unique name: Elysia silently drops a second instance of the same name.
   *
   * - The instance uses one of `calls`, `openCalls` and `freeCalls` (app/surface/calls.ts), which check the key, set the request ID and
   *   render failures in the surface's format. Routes refuse a request by throwing a GatewayError.
   * - Free routes declare the schemas of their query, params and response for each status: client types, OpenAPI and validation
   *   are derived from them. Paid routes read their own bytes, with `parse: 'none'`.
   */
  routes?: () => Promise<(gateway: Gateway, own: Own) => Routes>
  /** Its part of the API reference, for routes that read their own bytes; loaded with the first request for the document. */
  reference?: () => Promise<Reference>
  /** Routes for its console pages, with `viewerCalls` or `operatorCalls` (app/surface/console/calls.ts); loaded with the console's first request. */
  console_routes?: () => Promise<(gateway: Gateway, own: Own) => ConsoleRoutes>
  /** Background work of every minute, such as deleting old rows. Sweeps fail independently. */
  sweeps?: readonly { name: string; sweep: (own: Own, gateway: Gateway) => unknown }[]
  checks?: readonly Check<Own>[]
  /** Answers for providers with `base_url = "simulator"`, in every protocol; loaded with the first call. The first plugin with one applies. */
  provider?: LoadProvider
  /** Commands by their first words. A plugin extends another plugin's group, such as `account`, by the same word and `commandGroup`. */
  commands?: Commands
  close?: (own: Own) => Promise<void> | void
}

export interface Plugin<Routes extends AnyElysia = AnyElysia, ConsoleRoutes extends AnyElysia = AnyElysia> {
  readonly name: string
  readonly settings: readonly Section[]
  readonly commands: Commands
  readonly provider: LoadProvider | undefined
  loadTables(): Promise<readonly StoredTable[]>
  readonly leftovers: () => readonly WorkLocation[]
  /** The checks without a running part, for the doctor. */
  readonly checks: readonly GatewayCheck[]
  /** @returns the value for `open` @throws Error to refuse the start */
  prepare(start: StartParts): Promise<unknown>
  open(gateway: Gateway, prepared: unknown): Promise<OpenPlugin<Routes, ConsoleRoutes>>
}

export interface OpenPlugin<
  Routes extends AnyElysia = AnyElysia,
  ConsoleRoutes extends AnyElysia = AnyElysia,
> {
  readonly name: string
  loadRoutes(): Promise<Routes | undefined>
  loadConsoleRoutes(): Promise<ConsoleRoutes | undefined>
  readonly loadReference: (() => Promise<Reference>) | undefined
  readonly sweeps: readonly Sweep[]
  readonly checks: readonly GatewayCheck[]
  close(): Promise<void>
}

/** Defines a plugin. Its type parameters are inferred from `open` and the routes. */
export function definePlugin<
  Own = undefined,
  Routes extends AnyElysia = Elysia,
  ConsoleRoutes extends AnyElysia = Elysia,
  Settings = undefined,
  Prepared = undefined,
>(spec: PluginSpec<Own, Routes, ConsoleRoutes, Settings, Prepared>): Plugin<Routes, ConsoleRoutes> {
  const sections = spec.settings === undefined ? [] : [spec.settings].flat()
  const settingsIn = (catalogue: Catalogue) => sections[0]?.of(catalogue) as Settings
  return {
    name: spec.name,
    settings: sections,
    commands: spec.commands ?? {},
    provider: spec.provider,
    loadTables: async () => (await spec.tables?.()) ?? [],
    leftovers: spec.leftovers ?? (() => []),
    checks: checksOver(spec.checks, undefined, undefined),
    prepare: async (start) => await spec.prepare?.(start, () => settingsIn(start.catalogue())),
    async open(gateway, prepared) {
      const settings = () => settingsIn(gateway.calls.catalogue())
      const own = (await spec.open?.(gateway, settings, prepared as Prepared)) as Own
      listen(spec.on ?? {}, own, gateway)
      return {
        name: spec.name,
        loadRoutes: async () => (await spec.routes?.())?.(gateway, own),
        loadConsoleRoutes: async () => (await spec.console_routes?.())?.(gateway, own),
        loadReference: spec.reference,
        sweeps: (spec.sweeps ?? []).map(({ name, sweep }) => ({ name, sweep: () => sweep(own, gateway) })),
        checks: checksOver(spec.checks, own, gateway.db),
        close: async () => await spec.close?.(own),
      }
    },
  }
}

/** @param db of the gateway; if undefined, a check that needs the database opens it for reading */
const checksOver = <Own>(
  checks: readonly Check<Own>[] = [],
  own: Own | undefined,
  db: Db | undefined,
): GatewayCheck[] =>
  checks.map((check) => {
    if (check.needs === 'folder')
      return { ...check, look: (context: CheckContext, time: CheckTime) => check.look(context, time, own) }
    if (check.needs === 'catalogue')
      return { ...check, look: (context: ReadContext, time: CheckTime) => check.look(context, time, own) }
    return {
      ...check,
      needs: 'folder',
      async look(context: CheckContext, time: CheckTime) {
        if (db) return await check.look({ ...context, db }, time, own)
        const { openToRead } = await import('./checks/database.ts')
        await using opened = await openToRead(context)
        return opened ? await check.look({ ...context, db: opened }, time, own) : []
      },
    }
  })

function listen<Own>(
  on: NonNullable<PluginSpec<Own, AnyElysia, AnyElysia>['on']>,
  own: Own,
  gateway: Gateway,
): void {
  const { events } = gateway.calls
  const listenTo = <Name extends EventName>(name: Name) => {
    const listener = on[name]
    if (listener) events.on(name, (event) => listener(own, event, gateway))
  }
  for (const name of Object.keys(on)) listenTo(name as EventName)
}
