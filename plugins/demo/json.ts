// Lenient readers for the JSON of requests: a value of another type counts as absent.
import { type Json, type JsonObject, objectIn } from '../../src/protocols/wire/json.ts'

export const textIn = (value: Json | undefined): string => (typeof value === 'string' ? value : '')

export const numberIn = (value: Json | undefined): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined

export const listIn = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : [])

/** The objects of a list; one object counts as a list of one. */
export const objectsOf = (value: Json | undefined): JsonObject[] =>
  (Array.isArray(value) ? value : [value]).map(objectIn).filter((object) => Object.keys(object).length > 0)

/** Joins the non-empty texts, each on its own line. */
export const lines = (texts: readonly string[]): string => texts.filter((text) => text !== '').join('\n')
