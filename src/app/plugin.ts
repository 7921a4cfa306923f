// The definition of a plugin: one object that holds a capability whole.
import type { AnyElysia, Elysia } from 'elysia'
import type { CoreEvents, EventName } from '../calls/life/events.ts'
import type { Section } from '../catalogue/sections.ts'
import type { Catalogue } from '../domain/catalogue.ts'
import type { Db } from '../store/db.ts'
import type { StoredTable } from '../store/stored-table.ts'
import type { WorkLocation } from '../store/work-folder.ts'
import type { Check, CheckTime, GatewayCheck, Patient, ReadPatient } from './checks/check.ts'
import type { Commands } from './command-line/terminal.ts'
import type { StartParts } from './process/serve-options.ts'
import type { LoadProvider } from './process/simulator.ts'
import type { Sweep } from './process/sweeps.ts'
import type { Reference } from './reference/operation.ts'
import type { Gateway } from './surface/gateway.ts'

/**
 * A capability, by what it has: everything but its name is optional. The object is read by every command, so it imports nothing heavy:
 * the functions that need it import it.
 */
interface PluginSpec<
  Own,
  Routes extends AnyElysia,
  ConsoleRoutes extends AnyElysia,
  Settings = undefined,
  Prepared = undefined,
> {
  /** Its name in the log and in messages; in most cases that of its folder. */
  name: string
  /** Its section of tollgate.toml: `defineSection`. Of several the functions get the first one's settings, and read the others themselves. */
  settings?: Section<Settings> | readonly [Section<Settings>, ...Section[]]
  /** Its tables, with the rules of their personal data. Their SQL is in the migrations of both engines. */
  tables?: () => Promise<readonly StoredTable[]>
  /** Where its commands work outside of the data folder: a start removes what killed ones left there. */
  leftovers?: () => readonly WorkLocation[]
  /** Refuses a start before anything in the data folder is changed, by an error that says what to do. */
  prepare?: (start: StartParts, settings: () => Settings) => Prepared | Promise<Prepared>
  /**
   * Makes its running part, once, before the gateway listens. The other functions get it as `own`.
   * @param settings those of the catalogue in use: called for each use, since the file may change
   */
  open?: (gateway: Gateway, settings: () => Settings, prepared: Prepared) => Own | Promise<Own>
  /** Its listeners to events. A listener returns at once: some events stand between a call and its answer. */
  on?: { readonly [Name in EventName]?: (own: Own, event: CoreEvents[Name], gateway: Gateway) => void }
  /**
   * Its routes, as an Elysia instance with a name of its own: Elysia drops a second one of the same name silently.
   *
   * - The instance uses one of `calls`, `openCalls` and `freeCalls` (app/surface/calls.ts), which see to the key, the request id, and
   *   failures in the surface's shape. Routes throw a GatewayError for what they refuse.
   * - Free routes declare the schemas of their query, params and response, each status included: types of clients, OpenAPI
   *   and the checks follow. Routes that are paid for read their own bytes, and say `parse: 'none'`.
   */
  routes?: () => Promise<(gateway: Gateway, own: Own) => Routes>
  /** Its part of the API reference, for paid routes, which read their own bytes; loaded with the first request for the document. */
  reference?: () => Promise<Reference>
  /** Routes for its pages of the console, loaded with the console's first request. They use `viewerCalls` or `operatorCalls` (app/surface/console/calls.ts). */
  console_routes?: () => Promise<(gateway: Gateway, own: Own) => ConsoleRoutes>
  /** Work of every minute beside the calls, such as the deletion of old rows; each by itself. */
  sweeps?: readonly { name: string; sweep: (own: Own, gateway: Gateway) => unknown }[]
  checks?: readonly Check<Own>[]
  /** Answers providers whose `base_url` is `simulator`, in each protocol; loaded with the first call. Of several the first one does. */
  provider?: LoadProvider
  /** Commands by their first words. A plugin adds to a group of another one, such as `account`, by the same word and `commandGroup`. */
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
  /** Without its running part: for the doctor. */
  readonly checks: readonly GatewayCheck[]
  /** @returns what `open` takes @throws Error that refuses the start */
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

/** A plugin of a capability. Its types follow from what it has: what `open` returns, and its routes. */
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

/** @param db of the gateway; undefined: a check that needs the database opens that of its patient */
const checksOver = <Own>(
  checks: readonly Check<Own>[] = [],
  own: Own | undefined,
  db: Db | undefined,
): GatewayCheck[] =>
  checks.map((check) => {
    if (check.needs === 'folder')
      return { ...check, look: (patient: Patient, time: CheckTime) => check.look(patient, time, own) }
    if (check.needs === 'catalogue')
      return { ...check, look: (patient: ReadPatient, time: CheckTime) => check.look(patient, time, own) }
    return {
      ...check,
      needs: 'folder',
      async look(patient: Patient, time: CheckTime) {
        if (db) return await check.look({ ...patient, db }, time, own)
        const { openToRead } = await import('./checks/database.ts')
        await using opened = await openToRead(patient)
        return opened ? await check.look({ ...patient, db: opened }, time, own) : []
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
