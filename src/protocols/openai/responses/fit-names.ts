// The names of tools in a responses request, no longer than its server takes them.
import { renaming } from '../../tool-names.ts'
import { isObject, type Json, type JsonObject } from '../../wire/json.ts'

/** Types of tools, calls and choices that have the name of a tool. */
const NAMED: ReadonlySet<Json | undefined> = new Set([
  'function',
  'custom',
  'function_call',
  'function_call_output',
  'custom_tool_call',
])

/**
 * The very same request where no name is too long.
 * @param renamed takes the names that are sent, with those that the caller knows
 */
export function withShortNames(
  body: JsonObject,
  max_chars: number,
  renamed: Map<string, string>,
): JsonObject {
  const rename = renaming((name) => name.length <= max_chars, max_chars, renamed)
  const each = (list: readonly Json[]): Json[] => list.map((item) => (isObject(item) ? inObject(item) : item))
  /** Namespaces, choices and some items hold tools of their own. */
  function inObject(holder: JsonObject): JsonObject {
    const { type, name, tools } = holder
    const changed = { ...holder }
    if (NAMED.has(type) && typeof name === 'string') changed.name = rename(name)
    if (Array.isArray(tools)) changed.tools = each(tools)
    return changed
  }
  const { input, tool_choice } = body
  const short = inObject(body)
  if (Array.isArray(input)) short.input = each(input)
  if (isObject(tool_choice)) short.tool_choice = inObject(tool_choice)
  return renamed.size > 0 ? short : body
}
