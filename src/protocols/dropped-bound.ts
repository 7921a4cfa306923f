// The token bound of what parsing loses of a body that passes through unchanged: repeated names, and digits beyond a number's precision.
import { boundText } from '../domain/token-bound.ts'
import type { Json } from './wire/json.ts'
import type { JsonBody } from './wire/json-body.ts'
import { type Counted, computedOnce, isKnown } from './wire/known-values.ts'

/**
 * The most tokens of the bytes that are missing from the parsed body. A provider may read the other one of two equal names, and all
 * digits of a number: Python's integers have thousands.
 *
 * @returns tokens, not rounded. A body with a repeated name counts as text as a whole, since the parser does not say which name it was.
 */
export function boundDropped({ bytes, json, counted }: JsonBody): number {
  const kept = sizeOf(json)
  if (kept.values < counted.values) return boundText(Buffer.from(bytes).toString())
  return Math.max(0, counted.bare_bytes - kept.bare_bytes)
}

/** The same counts as from a walk over the bytes of `JSON.stringify(value)`. */
function sizeOf(value: Json): Counted {
  const sizes = { values: 0, bare_bytes: 0 }
  add(value, sizes)
  return sizes
}

function add(value: Json, sizes: { values: number; bare_bytes: number }): void {
  if (typeof value === 'string') return
  if (typeof value !== 'object' || value === null) {
    sizes.bare_bytes += String(value).length
    return
  }
  let commas = -1
  if (Array.isArray(value))
    for (const item of value) {
      commas++
      addKnown(item, sizes)
    }
  else
    for (const name in value) {
      commas++
      addKnown(value[name] ?? null, sizes)
    }
  sizes.values += 1 + Math.max(0, commas)
}

/** As add, but computes the counts of a known value only once. */
function addKnown(value: Json, sizes: { values: number; bare_bytes: number }): void {
  if (typeof value !== 'object' || value === null || !isKnown(value)) {
    add(value, sizes)
    return
  }
  const { values, bare_bytes } = computedOnce(sizeOf, value)
  sizes.values += values
  sizes.bare_bytes += bare_bytes
}
