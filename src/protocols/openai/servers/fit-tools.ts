// Adaptation of tools to the server: their names, and the choice among them.
import { createRenamer } from '../../tool-names.ts'
import { isObject, type Json, type JsonObject, objectIn, objectsIn, stringIn } from '../../wire/json.ts'
import type { Fitting } from './fitting.ts'

/** Shortens names beyond the server's limit, in tools, choices and earlier calls alike. */
export function fitTools({ body, rules, renamed_tools }: Fitting): JsonObject {
  const { max_name_chars } = rules
  const offered = rules.takes_allowed_tools ? body : offeringAllowed(body)
  if (max_name_chars === undefined || !hasLongName(offered, max_name_chars)) return offered
  const rename = createRenamer((name) => name.length <= max_name_chars, max_name_chars, renamed_tools)
  return {
    ...offered,
    ...mapped(offered, 'tools', (tool) => renamedFunction(tool, rename)),
    ...mapped(offered, 'messages', (message) => ({
      ...message,
      ...mapped(message, 'tool_calls', (call) => renamedFunction(call, rename)),
      ...(message.role === 'tool' && typeof message.name === 'string' ? { name: rename(message.name) } : {}),
    })),
    ...(isObject(offered.tool_choice) ? { tool_choice: renamedChoice(offered.tool_choice, rename) } : {}),
  }
}

type Rename = ReturnType<typeof createRenamer>

const hasLongName = ({ tools, messages }: JsonObject, max_chars: number): boolean =>
  objectsIn(tools).some((tool) => isLong(tool, max_chars)) ||
  objectsIn(messages).some(({ tool_calls }) => objectsIn(tool_calls).some((call) => isLong(call, max_chars)))

const isLong = (named: JsonObject, max_chars: number): boolean => nameOf(named).length > max_chars

const nameOf = (named: JsonObject): string => stringIn(objectIn(named.function).name) ?? ''

/** A field's list with each object changed; empty if the field is no list. */
function mapped(
  holder: JsonObject,
  field: string,
  change: (item: JsonObject) => JsonObject,
): Record<string, Json> {
  const list = holder[field]
  if (!Array.isArray(list)) return {}
  return { [field]: list.map((item) => (isObject(item) ? change(item) : item)) }
}

function renamedFunction(holder: JsonObject, rename: Rename): JsonObject {
  const name = nameOf(holder)
  return name === '' ? holder : { ...holder, function: { ...objectIn(holder.function), name: rename(name) } }
}

function renamedChoice(choice: JsonObject, rename: Rename): JsonObject {
  const allowed = isObject(choice.allowed_tools)
    ? {
        allowed_tools: {
          ...choice.allowed_tools,
          ...mapped(choice.allowed_tools, 'tools', (tool) => renamedFunction(tool, rename)),
        },
      }
    : {}
  return { ...renamedFunction(choice, rename), ...allowed }
}

/** Replaces a choice among some tools by offering only those. */
function offeringAllowed(body: JsonObject): JsonObject {
  const choice = objectIn(body.tool_choice)
  if (choice.type !== 'allowed_tools') return body
  const { mode, tools } = objectIn(choice.allowed_tools)
  const names = new Set(objectsIn(tools).map(nameOf))
  const offered = objectsIn(body.tools).filter((tool) => names.has(nameOf(tool)))
  return { ...body, tools: offered, tool_choice: mode === 'required' ? 'required' : 'auto' }
}
