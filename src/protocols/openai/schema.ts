// The JSON Schemas that OpenAI can hold its models to.
// https://platform.openai.com/docs/guides/structured-outputs#supported-schemas

import { type Json, type JsonObject, objectIn } from '../wire/json.ts'

/**
 * `strict` as requested, unless the provider would refuse it: every object must be closed, and every property required.
 */
export const strictIfTaken = (
  strict: boolean | undefined,
  schema: JsonObject | undefined,
): boolean | undefined => (strict && schema && !isTaken(schema) ? undefined : strict)

function isTaken(schema: Json): boolean {
  if (typeof schema !== 'object' || schema === null) return true
  if (Array.isArray(schema)) return schema.every(isTaken)
  if (schema.type === 'object' && !isClosed(schema)) return false
  const { enum: _enum, const: _const, default: _default, ...schemas } = schema
  return Object.values(schemas).every(isTaken)
}

function isClosed({ additionalProperties, properties, required }: JsonObject): boolean {
  const needed = Array.isArray(required) ? required : []
  return (
    additionalProperties === false && Object.keys(objectIn(properties)).every((name) => needed.includes(name))
  )
}
