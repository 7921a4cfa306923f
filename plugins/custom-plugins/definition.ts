// Import and validation of a custom plugin's default export: a function, or an object with the parts of a plugin.
import { pathToFileURL } from 'node:url'
import type { PluginDefinition, TollgatePlugin } from '../../src/plugin-api.ts'

const FIELDS: Record<keyof PluginDefinition, 'function' | 'object' | 'list'> = {
  settings: 'function',
  open: 'function',
  routes: 'function',
  before_call: 'function',
  on: 'object',
  payments: 'function',
  sweeps: 'list',
  checks: 'list',
  commands: 'object',
  close: 'function',
}
const EVENTS = ['started', 'settled', 'refused', 'stopping']
const CHECK_TIMES = ['start', 'alert', 'ready']
const COMMAND_NAME = /^[a-z0-9][a-z0-9-]*$/

/** @throws errors of the plugin's code; Error if the default export is no plugin */
export async function importPlugin(path: string): Promise<PluginDefinition> {
  // A file URL, because `?`, `#` and `%` in a plain path would have a meaning.
  const module: { default?: unknown } = await import(pathToFileURL(path).href)
  return definitionOf(module.default)
}

/** @throws Error with the first mistake, for the operator */
function definitionOf(exported: unknown): PluginDefinition {
  if (typeof exported === 'function') {
    const plugin = exported as Extract<TollgatePlugin, (...of: never[]) => unknown>
    return { routes: (_, parts) => plugin(parts) }
  }
  if (typeof exported !== 'object' || exported === null)
    throw new Error(
      'it has no default export that is a function; write `export default ({ app, gateway }) => { … }`',
    )
  for (const [name, value] of Object.entries(exported)) checkField(name, value)
  const { on = {}, sweeps = [], checks = [], commands = {} } = exported as PluginDefinition
  for (const name of Object.keys(on)) refuseUnknown(`its event ${name}`, name, EVENTS)
  for (const { name, sweep } of sweeps) requireFunction(`its sweep ${name}`, sweep)
  for (const { name, when, look } of checks) {
    requireFunction(`its check ${name}`, look)
    for (const time of when ?? []) refuseUnknown(`the time of its check ${name}`, time, CHECK_TIMES)
  }
  for (const [name, { run }] of Object.entries(commands)) {
    if (!COMMAND_NAME.test(name)) throw new Error(`its command ${name} needs a name of a-z, 0-9 and "-"`)
    requireFunction(`its command ${name}`, run)
  }
  return exported as PluginDefinition
}

function checkField(name: string, value: unknown): void {
  if (!Object.hasOwn(FIELDS, name))
    throw new Error(
      `it has no default export that is a plugin: unknown field ${name}; allowed: ${Object.keys(FIELDS).join(', ')}`,
    )
  const kind = FIELDS[name as keyof PluginDefinition]
  const is_kind = kind === 'list' ? Array.isArray(value) : typeof value === kind && value !== null
  if (!is_kind) throw new Error(`its field ${name} must be ${kind === 'object' ? 'an' : 'a'} ${kind}`)
}

function refuseUnknown(what: string, name: string, known: readonly string[]): void {
  if (!known.includes(name)) throw new Error(`${what} is unknown: there are ${known.join(', ')}`)
}

function requireFunction(what: string, value: unknown): void {
  if (typeof value !== 'function') throw new Error(`${what} has no function`)
}
