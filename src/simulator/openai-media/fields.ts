// Fields of a request that may be a form, and refusals that name them.
import type { Refusal } from '../dialect.ts'
import { type JsonObject, listOf, textOf } from '../json.ts'

/** A field's text; a form has it as a list of one. */
export const fieldOf = (body: JsonObject, name: string): string => {
  const [value] = listOf(body[name])
  return value === undefined ? textOf(body[name]) : textOf(value)
}

export const refusal = (field: string, message: string): Refusal => ({ status: 400, field, message })
