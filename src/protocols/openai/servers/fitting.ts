// A chat completion request on its way to fit its server, as each step gets it.
import type { EffortName } from '../../../domain/catalogue.ts'
import { userMark } from '../../tool-names.ts'
import type { Json, JsonObject } from '../../wire/json.ts'
import type { ServerRules } from './rules.ts'

/** A request under way to its server: each step gives the next one a changed one. */
export interface Fitting {
  readonly body: JsonObject
  /** The name that tells the model's generation. */
  readonly model: string
  /** From the catalogue; they hold for every server. */
  readonly efforts: readonly EffortName[] | undefined
  readonly rules: ServerRules
  readonly is_translated: boolean
  /** Names of what was left out, as the protocol calls it. */
  readonly dropped: Set<string>
  /** Names of tools as they are sent, with those that the caller knows. */
  readonly renamed_tools: Map<string, string>
}

/** Values that ask for nothing, because they are the default; false for all other fields. */
const DEFAULTS: Readonly<Record<string, Json>> = {
  temperature: 1,
  top_p: 1,
  presence_penalty: 0,
  frequency_penalty: 0,
  parallel_tool_calls: true,
}

/** Whether a request asks for what it would not get without a field. */
export function asksFor(body: JsonObject, name: string): boolean {
  const value = body[name]
  return value !== undefined && value !== null && value !== (DEFAULTS[name] ?? false)
}

/** A request without some fields; the very same where it has none of them. @param dropped takes the names of those it had */
export function leftOut(body: JsonObject, fields: readonly string[], dropped: Set<string>): JsonObject {
  const names = fields.filter((name) => Object.hasOwn(body, name))
  if (names.length === 0) return body
  for (const name of names) if (asksFor(body, name)) dropped.add(name)
  return Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)))
}

/** Ids of end users beyond the server's limit become others, the same ones each time. */
export function withShortUsers(body: JsonObject, { max_chars = {} }: ServerRules): JsonObject {
  const long = Object.entries(max_chars).flatMap(([name, chars]) => {
    const user = body[name]
    return typeof user === 'string' && user.length > chars ? [[name, userMark(user)] as const] : []
  })
  return long.length === 0 ? body : { ...body, ...Object.fromEntries(long) }
}
