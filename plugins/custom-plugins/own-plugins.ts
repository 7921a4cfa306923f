// The custom plugins of a running gateway: loaded before it starts, called at its events, and closed after its last call.
import { Elysia } from 'elysia'
import { COMMON_FORMS } from '../../src/access/gate.ts'
import { type CheckTime, type Diagnosis, diagnosesOf } from '../../src/app/checks/check.ts'
import type { StartParts } from '../../src/app/process/serve-options.ts'
import { admitReader } from '../../src/app/surface/calls.ts'
import type { Gateway } from '../../src/app/surface/gateway.ts'
import { originOf, type Surface } from '../../src/app/surface/origin.ts'
import { countHooks } from '../../src/calls/hooks/registered.ts'
import type { RefusedRequest, SettledCall } from '../../src/calls/life/events.ts'
import { requestIdAt } from '../../src/domain/request-id.ts'
import { plainError } from '../../src/http/plain-error.ts'
import type { LogFields, Logger } from '../../src/observe/log.ts'
import type { PluginEvents } from '../../src/plugin-api.ts'
import { messageOf } from '../../src/utilities/thrown.ts'
import { withinTime } from '../../src/utilities/time-limit.ts'
import { findPlugins, pluginsFolder } from './files.ts'
import { type LoadedPlugin, loadPlugins } from './load.ts'
import { mount } from './routes.ts'
import { namesWithSettings } from './settings.ts'
import { createSettleQueue, recordOf } from './settle-queue.ts'
import { surviveStrayErrors } from './stray-errors.ts'

/** Plugins that were loaded before the gateway started. */
interface PreparedPlugins {
  loaded: readonly LoadedPlugin[]
  before_limit_ms: number | undefined
  /** Passes the gateway to the plugins' routes, whose `gateway.authenticate` needs it. */
  serveIn(gateway: Gateway): void
}

/** The surface for authentication in plugin routes. The plugin's own application renders refusals. */
const SURFACE: Surface = { surface: 'plugins', forms: COMMON_FORMS, render: plainError }

/**
 * Loads the plugins of a data folder before the gateway exists, so that a faulty plugin refuses the start before anything is changed.
 * @throws Error with a message for the operator that names the plugin
 */
export async function prepareOwnPlugins(start: StartParts): Promise<PreparedPlugins> {
  const { data_folder, log, catalogue, now, error_answers, limits, owns_process } = start
  const folder = pluginsFolder(data_folder)
  const { files, skipped } = findPlugins(folder)
  if (files.length > 0 && owns_process) surviveStrayErrors(log, now)
  if (skipped.length > 0)
    log.warn({ folder, skipped }, 'these files are not loaded: plugins are files whose names end with .ts')
  const unknown = namesWithSettings(catalogue()).filter((name) => !files.some((file) => file.name === name))
  if (unknown.length > 0)
    log.warn({ folder, plugins: unknown }, 'the catalogue has settings of plugins that are not in the folder')
  let gateway: Gateway | undefined
  const loaded = await loadPlugins(files, {
    folder,
    log,
    catalogue,
    newRequestId: () => requestIdAt(now()),
    error_answers,
    load_limit_ms: limits.load_limit_ms,
    admit(request) {
      if (!gateway) throw new Error('gateway.authenticate was called before the gateway serves.')
      const { requests } = gateway
      return admitReader(gateway, originOf(request, requests.newRequestId(), requests.sockets, SURFACE))
    },
  })
  refuseUnroutable(loaded)
  return {
    loaded,
    before_limit_ms: limits.before_limit_ms,
    serveIn(started) {
      gateway = started
    },
  }
}

/** Compiles the routes of all plugins in a separate router, since no gateway path shares their first segment. @throws Error on a conflict */
function refuseUnroutable(loaded: readonly LoadedPlugin[]): void {
  const router = new Elysia()
  for (const { name, mounted } of loaded) {
    try {
      mount(router, mounted)
      router.compile()
    } catch (cause) {
      const why = messageOf(cause)
      throw new Error(`The routes of the plugin ${name} cannot be served: ${why}. Give them other paths.`, {
        cause,
      })
    }
  }
}

/** Time for the afterSettle hooks after the last call is settled. */
const STOP_LIMIT_MS = 5_000
const CLOSE_LIMIT_MS = 5_000
const CHECK_LIMIT_MS = 5_000
const SWEEP_LIMIT_MS = 60_000

/** Runs work after the current turn of the event loop. */
const afterTurn = (work: () => Promise<void>): Promise<void> =>
  new Promise<void>((resolve) => setImmediate(resolve)).then(work)

export class OwnPlugins {
  readonly loaded: readonly LoadedPlugin[]
  readonly #log: Logger
  readonly #queues: readonly ReturnType<typeof createSettleQueue>[]
  /** Event listeners that are queued or running. */
  readonly #listening = new Set<Promise<void>>()

  constructor(gateway: Gateway, { loaded, before_limit_ms, serveIn }: PreparedPlugins) {
    const { log, bodies } = gateway.calls
    serveIn(gateway)
    gateway.operations.payment_providers.push(...loaded.flatMap(({ payments }) => payments))
    this.loaded = loaded
    this.#log = log
    for (const { name, routes, hooks, payments } of loaded)
      log.info({ plugin: name, routes, ...countHooks(hooks), payments: payments.length }, 'plugin loaded')
    if (before_limit_ms !== undefined) bodies.hooks.before_limit_ms = before_limit_ms
    bodies.hooks.before.push(...loaded.map(({ hooks }) => hooks).filter(({ before }) => before.length > 0))
    this.#queues = loaded
      .filter(({ hooks }) => hooks.after.length > 0)
      .map(({ hooks }) => createSettleQueue({ plugin: hooks, log }))
  }

  routes(): Elysia {
    const app = new Elysia({ name: 'own-plugins' })
    for (const { mounted } of this.loaded) mount(app, mounted)
    return app
  }

  settled({ call, operation }: SettledCall): void {
    if (this.#queues.length === 0) return
    const record = recordOf(call, operation)
    for (const queue of this.#queues) queue.add(record)
  }

  refused(request: RefusedRequest): void {
    if (!this.loaded.some(({ definition }) => definition.on?.refused)) return
    const { sentence, ...facts } = request
    this.raise('refused', Object.freeze({ ...facts, message: sentence }))
  }

  /** Calls the listeners of an event later. The caller does not wait for them. */
  raise<Name extends Exclude<keyof PluginEvents, 'settled'>>(name: Name, event: PluginEvents[Name]): void {
    for (const plugin of this.loaded) {
      const listener = plugin.definition.on?.[name]
      if (!listener) continue
      const listening = afterTurn(async () => {
        const about = { plugin: plugin.name, event: name }
        await this.#try(about, 'a plugin failed at an event', () => listener(plugin.own, event))
        this.#listening.delete(listening)
      })
      this.#listening.add(listening)
    }
  }

  async sweep(): Promise<void> {
    for (const { name: plugin, definition, own } of this.loaded)
      for (const { name, sweep } of definition.sweeps ?? [])
        await this.#try({ plugin, sweep: name }, 'a sweep of a plugin failed', () =>
          withinTime(SWEEP_LIMIT_MS, () => sweep(own)),
        )
  }

  /** Runs the plugins' checks for a check time. */
  async look(time: CheckTime): Promise<Diagnosis[]> {
    const found = this.loaded.map(({ name: plugin, definition, own }) =>
      (definition.checks ?? [])
        .filter(({ when }) => (when as readonly string[]).includes(time))
        .map(async ({ name, look }): Promise<Diagnosis[]> => {
          const { fail } = diagnosesOf(`${plugin} ${name}`)
          try {
            const finding = await withinTime(CHECK_LIMIT_MS, () => look(own))
            return finding ? [fail(finding.found, finding.advice)] : []
          } catch (cause) {
            this.#log.error({ plugin, check: name, cause }, 'a check of a plugin failed')
            return [fail(`the check ${name} of the plugin ${plugin} failed`, 'The log has why.')]
          }
        }),
    )
    return (await Promise.all(found.flat())).flat()
  }

  /** Delivers waiting records and events for at most some seconds, then closes the plugins. */
  async close(): Promise<void> {
    await Promise.all(this.#queues.map((queue) => queue.drain(STOP_LIMIT_MS)))
    await Promise.race([Promise.all(this.#listening), Bun.sleep(STOP_LIMIT_MS)])
    for (const { name: plugin, definition, own } of this.loaded.toReversed())
      await this.#try({ plugin }, 'a plugin could not be closed', () =>
        withinTime(CLOSE_LIMIT_MS, () => definition.close?.(own)),
      )
  }

  /** Runs a plugin's code and logs its failure. */
  async #try(about: LogFields, message: string, work: () => unknown): Promise<void> {
    try {
      await work()
    } catch (cause) {
      this.#log.error({ ...about, cause }, message)
    }
  }
}
