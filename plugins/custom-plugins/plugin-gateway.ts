// The gateway object for custom plugins: registration of hooks, a log, and public information. It exposes no secret and no database.
import manifest from '../../package.json' with { type: 'json' }
import type { Caller } from '../../src/access/gate.ts'
import type { ServedBy } from '../../src/app/surface/base-app.ts'
import { type HooksOfPlugin, noCounts } from '../../src/calls/hooks/registered.ts'
import { type Catalogue, isServed } from '../../src/domain/catalogue.ts'
import type { Logger, LogLevel } from '../../src/observe/log.ts'
import type {
  AfterSettle,
  BeforeCall,
  PluginCaller,
  PluginGateway,
  PluginLog,
  PluginModel,
} from '../../src/plugin-api.ts'

export interface GatewayParts {
  folder: string
  log: Logger
  catalogue: () => Pick<Catalogue, 'models' | 'sections'> & ServedBy
  /** Authenticates the caller of a request; absent if no gateway runs. @throws GatewayError for a refused caller */
  admit?: ((request: Request) => Promise<Caller>) | undefined
}

interface OpenedGateway {
  gateway: PluginGateway
  hooks: HooksOfPlugin
  /** Ends the registration of hooks. */
  close(): void
}

export function gatewayFor(name: string, { folder, log, catalogue, admit }: GatewayParts): OpenedGateway {
  const before: BeforeCall[] = []
  const after: AfterSettle[] = []
  let is_open = true

  function register<Hook>(hooks: Hook[], method: string, hook: Hook): void {
    if (!is_open)
      throw new Error(
        `gateway.${method} was called after the start. Register hooks before the plugin's function ends.`,
      )
    if (typeof hook !== 'function') throw new Error(`gateway.${method} takes a function, not ${typeof hook}`)
    hooks.push(hook)
  }

  const gateway: PluginGateway = {
    version: manifest.version,
    folder,
    log: logOf(name, log),
    models: () => modelsOf(catalogue()),
    async authenticate(request) {
      if (is_open || !admit)
        throw new Error('gateway.authenticate was called while the plugin is loaded. Call it in a route.')
      return callerView(await admit(request))
    },
    beforeCall: (hook) => register(before, 'beforeCall', hook),
    afterSettle: (hook) => register(after, 'afterSettle', hook),
  }
  return {
    gateway: Object.freeze(gateway),
    hooks: { name, before, after, counts: noCounts() },
    close() {
      is_open = false
    },
  }
}

const callerView = ({ account, key }: Caller): PluginCaller =>
  Object.freeze({
    account: Object.freeze({ id: account.id, name: account.name }),
    key: Object.freeze({ id: key.id, name: key.name, prefix: key.prefix }),
  })

const modelsOf = ({ models }: Pick<Catalogue, 'models'>): PluginModel[] =>
  models
    .values()
    .filter(isServed)
    .map(({ id, display_name, kind }) => ({ id, display_name, kind }))
    .toArray()

function logOf(plugin: string, log: Logger): PluginLog {
  const write =
    (level: LogLevel): PluginLog['info'] =>
    (message, fields = {}) =>
      log[level]({ ...fields, plugin }, String(message))
  return Object.freeze({
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
  })
}
