// The custom plugins in a running gateway: loaded at the start, hooked into its calls, and told of the last ones at the end.
import { type AnyElysia, Elysia } from 'elysia'
import { COMMON_FORMS } from '../../src/access/gate.ts'
import { createSettleQueue, recordOf, type SettleQueue } from './settle-queue.ts'
import { countHooks } from '../../src/calls/hooks/registered.ts'
import { requestIdAt } from '../../src/domain/request-id.ts'
import { plainError } from '../../src/http/plain-error.ts'
import { messageOf } from '../../src/utilities/thrown.ts'
import { admitReader } from '../../src/app/surface/calls.ts'
import type { Gateway } from '../../src/app/surface/gateway.ts'
import { originOf, type Surface } from '../../src/app/surface/origin.ts'
import { findPlugins, pluginsFolder } from './files.ts'
import { type LoadedPlugin, type LoadParts, loadPlugins } from './load.ts'
import { mount } from './routes.ts'

export interface OwnPluginOptions extends Pick<LoadParts, 'log' | 'catalogue' | 'error_answers'> {
  data_folder: string
  now: () => number
  /** Shorter than they are, for tests. */
  limits?: PluginLimits | undefined
}

export interface PluginLimits {
  load_limit_ms?: number
  before_limit_ms?: number
}

/** Plugins before there is a gateway. */
export interface LoadedPlugins {
  /** Registers their hooks. */
  startIn(gateway: HookedGateway): RunningPlugins
}

export interface RunningPlugins {
  /** Puts their routes beside those of the gateway. */
  mountOn(app: AnyElysia): void
  /** Tells them of the calls that wait to be told of, for some seconds at most. */
  stop(): Promise<void>
}

type HookedGateway = Pick<Gateway, 'exchange' | 'requests' | 'operations'>

/** Where callers of their routes put a key. Refusals are rendered by the application that the routes are in. */
const OF_PLUGINS: Surface = { surface: 'plugins', forms: COMMON_FORMS, render: plainError }

/** The hooks after settle have this long once the last call is settled. */
const STOP_LIMIT_MS = 5_000

/**
 * Loads the plugins of a data folder. It needs no gateway, so that one that cannot be loaded refuses a start before anything is changed.
 *
 * @throws Error with a text for the operator, naming the plugin that cannot be loaded
 */
export async function loadOwnPlugins(options: OwnPluginOptions): Promise<LoadedPlugins> {
  const { data_folder, log, catalogue, now, error_answers, limits = {} } = options
  const folder = pluginsFolder(data_folder)
  const { files, skipped } = findPlugins(folder)
  if (skipped.length > 0)
    log.warn({ folder, skipped }, 'these files are not loaded: plugins are files whose names end with .ts')
  const { load_limit_ms, before_limit_ms } = limits
  let gateway: HookedGateway | undefined
  const loaded = await loadPlugins(files, {
    folder,
    log,
    catalogue,
    newRequestId: () => requestIdAt(now()),
    error_answers,
    load_limit_ms,
    admit(request) {
      if (!gateway) throw new Error('gateway.authenticate was called before the gateway serves.')
      const { requests } = gateway
      return admitReader(gateway, originOf(request, requests.newRequestId(), requests.sockets, OF_PLUGINS))
    },
  })
  refuseUnroutable(loaded)
  return {
    startIn(started) {
      gateway = started
      return startLoaded(started, loaded, before_limit_ms)
    },
  }
}

function startLoaded(
  gateway: HookedGateway,
  loaded: readonly LoadedPlugin[],
  before_limit_ms: number | undefined,
): RunningPlugins {
  const { exchange, operations } = gateway
  for (const { mounted: _, ...plugin } of loaded) {
    operations.own_plugins.push(plugin)
    exchange.log.info(
      { plugin: plugin.name, routes: plugin.routes, ...countHooks(plugin.hooks) },
      'plugin loaded',
    )
  }
  const { hooks } = exchange.bodies
  if (before_limit_ms !== undefined) hooks.before_limit_ms = before_limit_ms
  hooks.before.push(...loaded.map((plugin) => plugin.hooks).filter(({ before }) => before.length > 0))
  const queues = tellAfterSettle(gateway, loaded)
  return {
    mountOn(app) {
      for (const { mounted } of loaded) mount(app, mounted)
    },
    async stop() {
      await Promise.all(queues.map((queue) => queue.drain(STOP_LIMIT_MS)))
    },
  }
}

/** Tries the routes of all in a router of their own: no path of the gateway begins like theirs. @throws Error */
function refuseUnroutable(loaded: readonly LoadedPlugin[]): void {
  const router = new Elysia()
  for (const { name, mounted } of loaded)
    orRefuse(name, () => {
      mount(router, mounted)
      router.compile()
    })
}

function orRefuse(name: string, work: () => void): void {
  try {
    work()
  } catch (cause) {
    const why = messageOf(cause)
    throw new Error(`The routes of the plugin ${name} cannot be served: ${why}. Give them other paths.`, {
      cause,
    })
  }
}

function tellAfterSettle(
  { exchange }: Pick<Gateway, 'exchange'>,
  loaded: readonly LoadedPlugin[],
): SettleQueue[] {
  const queues = loaded
    .map(({ hooks }) => hooks)
    .filter(({ after }) => after.length > 0)
    .map((plugin) => createSettleQueue({ plugin, log: exchange.log }))
  if (queues.length > 0)
    exchange.events.on('settled', ({ call, operation }) => {
      const record = recordOf(call, operation)
      for (const queue of queues) queue.add(record)
    })
  return queues
}
