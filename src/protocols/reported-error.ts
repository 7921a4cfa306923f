// Whether an answer under status 200, or an event of a stream, reports an error in place of output.
import type { JsonObject } from './wire/json.ts'

/** Servers that stand in front of models write each other's forms: `error` as a field, as the type, or as the object (vLLM). */
export const reportsError = ({ type, object, error }: JsonObject): boolean =>
  type === 'error' || object === 'error' || (error ?? null) !== null
