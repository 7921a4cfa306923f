// The state of a chat completion request while it is adapted to its server.
import type { EffortName } from '../../../domain/catalogue.ts'
import { hashedUserId } from '../../tool-names.ts'
import type { Json, JsonObject } from '../../wire/json.ts'
import type { ServerRules } from './rules.ts'

/** Input of each step, which returns the changed body. */
export interface Fitting {
  readonly body: JsonObject
  /** The name that decides the model's generation. */
  readonly model: string
  /** From the catalogue; they apply on every server. */
  readonly efforts: readonly EffortName[] | undefined
  readonly rules: ServerRules
  readonly is_translated: boolean
  /** The names of left-out fields, in the provider's protocol. */
  readonly dropped: Set<string>
  /** The caller's tool names by the names sent. */
  readonly renamed_tools: Map<string, string>
}

/** Default values, which have no effect; false for all other fields. */
const DEFAULTS: Readonly<Record<string, Json>> = {
  temperature: 1,
  top_p: 1,
  presence_penalty: 0,
  frequency_penalty: 0,
  parallel_tool_calls: true,
}

/** Whether a field has an effect: it is set, and not to its default. */
export function asksFor(body: JsonObject, name: string): boolean {
  const value = body[name]
  return value !== undefined && value !== null && value !== (DEFAULTS[name] ?? false)
}

/** Removes fields from a request; returns the same body if it has none. @param dropped receives the names of those with an effect */
export function omit(body: JsonObject, fields: readonly string[], dropped: Set<string>): JsonObject {
  const names = fields.filter((name) => Object.hasOwn(body, name))
  if (names.length === 0) return body
  for (const name of names) if (asksFor(body, name)) dropped.add(name)
  return Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)))
}

/** Replaces ids of end users beyond the server's limit, always by the same ones. */
export function withShortUsers(body: JsonObject, { max_chars = {} }: ServerRules): JsonObject {
  const long = Object.entries(max_chars).flatMap(([name, chars]) => {
    const user = body[name]
    return typeof user === 'string' && user.length > chars ? [[name, hashedUserId(user)] as const] : []
  })
  return long.length === 0 ? body : { ...body, ...Object.fromEntries(long) }
}
