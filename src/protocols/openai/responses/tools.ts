// The tools of a responses request: caller-run and hosted ones, and their names.
import { isObject, type Json, type JsonObject, lookUp, objectsIn, stringIn } from '../../wire/json.ts'
import { SERVER_TOOLS } from '../extras.ts'
import { type ClientToolType, clientToolType } from './client-tools.ts'

/** Tools that the provider runs, by `type`, with the extra that prices them. */
export const HOSTED_TOOLS: Readonly<Record<string, string>> = { ...SERVER_TOOLS, computer: 'computer_use' }

/** Tools that callers run and every model accepts. */
const PLAIN_TOOLS: ReadonlySet<unknown> = new Set(['function', 'custom', 'namespace'])
/** Tools that callers run and only models of this protocol accept. */
const OWN_TOOLS: ReadonlySet<unknown> = new Set(['tool_search'])

/** Whether the caller runs a tool, so that no provider of this protocol bills it. */
export const isCallerTool = (tool: JsonObject): boolean => isKnownByAll(tool) || OWN_TOOLS.has(tool.type)

const isKnownByAll = (tool: JsonObject): boolean =>
  PLAIN_TOOLS.has(tool.type) || clientToolType(tool) !== undefined

export interface NamedTool {
  kind: 'function' | 'custom' | ClientToolType
  name: string
  namespace: string | undefined
  definition: JsonObject
  at: string
}

/** The name of a tool for models of other protocols. */
export const flatName = (name: string, namespace: string | undefined): string =>
  namespace === undefined ? name : `${namespace}__${name}`

/** The tools of a request that become functions, including those in namespaces; all others are left out. */
export const namedTools = (tools: Json | undefined): NamedTool[] =>
  objectsIn(tools).flatMap((tool, index) => namedIn(tool, undefined, `tools[${index}]`))

function namedIn(tool: JsonObject, namespace: string | undefined, at: string): NamedTool[] {
  if (tool.type === 'namespace')
    return objectsIn(tool.tools).flatMap((inner, index) =>
      namedIn(inner, stringIn(tool.name), `${at}.tools[${index}]`),
    )
  const client_type = clientToolType(tool)
  if (client_type) return [{ kind: client_type, name: client_type, namespace, definition: tool, at }]
  if (tool.type !== 'function' && tool.type !== 'custom') return []
  return [{ kind: tool.type, name: stringIn(tool.name) ?? '', namespace, definition: tool, at }]
}

/** The tools of a request by their names for models of other protocols. */
export const toolsByName = (tools: Json | undefined): ReadonlyMap<string, NamedTool> =>
  new Map(namedTools(tools).map((tool) => [flatName(tool.name, tool.namespace), tool]))

/** The result of offeredTools. */
interface OfferedTools {
  tools: Json[]
  /** The types that were left out, without duplicates. */
  dropped: string[]
}

/**
 * Selects the tools to send to a model.
 * @param passes whether a provider of this protocol serves the model @param priced the extras that the model has a price for
 */
export function offeredTools(
  tools: readonly Json[],
  passes: boolean,
  priced: readonly string[],
): OfferedTools {
  const isKept = (tool: Json): boolean => {
    if (!isObject(tool) || isKnownByAll(tool)) return true
    if (!passes) return false
    if (OWN_TOOLS.has(tool.type)) return true
    const extra = lookUp(HOSTED_TOOLS, tool.type)
    return extra !== undefined && priced.includes(extra)
  }
  const dropped = tools.filter((tool) => !isKept(tool)).map((tool) => String((tool as JsonObject).type))
  return { tools: tools.filter(isKept), dropped: [...new Set(dropped)] }
}

/** The type of a left-out tool that a choice forces; undefined if it forces none. */
export function forcedTool(choice: Json | undefined, dropped: readonly string[]): string | undefined {
  if (!isObject(choice)) return undefined
  const forced =
    choice.type === 'allowed_tools' && choice.mode === 'required' ? objectsIn(choice.tools) : [choice]
  const types = forced.map(({ type }) => String(type))
  return types.length > 0 && types.every((type) => dropped.includes(type)) ? types[0] : undefined
}

/** Removes left-out tools from a choice. */
export function offeredChoice(choice: Json | undefined, dropped: readonly string[]): Json | undefined {
  if (!isObject(choice) || choice.type !== 'allowed_tools') return choice
  const tools = objectsIn(choice.tools).filter(({ type }) => !dropped.includes(String(type)))
  return tools.length === 0 ? 'none' : { ...choice, tools }
}
