// Whether an answer under status 200, or an event of a stream, reports an error in place of output.
import type { JsonObject } from './wire/json.ts'

/**
 * Servers that stand in front of models write each other's forms: `error` as a field, as the type, or as the object (vLLM). A
 * response may fail without one.
 */
export const reportsError = ({ type, object, error, status }: JsonObject): boolean =>
  type === 'error' || object === 'error' || status === 'failed' || (error ?? null) !== null
