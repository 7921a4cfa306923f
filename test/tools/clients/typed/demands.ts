// The demands of typed clients: fields that one of them needs, or needs not null, to read an answer.
import type { Json, JsonObject } from '../../../../src/protocols/wire/json.ts'
import { isObject } from '../../../../src/protocols/wire/json.ts'
import type { TypedAnswer } from './answers.ts'
import recorded from './demands.json' with { type: 'json' }

/** The demanded fields of an object at a place. */
interface Demand {
  readonly required: readonly string[]
  readonly not_null: readonly string[]
}

/** By the type of an answer and the place of an object in it. */
export type Demands = Readonly<Record<string, Readonly<Record<string, Demand>>>>

/** The demands that `bun run clients --typed` has recorded. */
export const DEMANDS: Demands = recorded

/** Values of the caller or the model, whose content has a free form. */
const FREE = /(?:^|\.)(?:arguments|args|input|metadata|parameters|properties|schema)$/

/** Visits each object of an answer, whose place names the types on the way: `output[]<message>.content[]<output_text>`. */
export function visitObjects(
  value: Json | undefined,
  visit: (place: string, object: JsonObject) => void,
  place = '',
): void {
  if (Array.isArray(value)) for (const each of value) visitObjects(each, visit, `${place}[]`)
  if (!isObject(value)) return
  const here = typeof value.type === 'string' ? `${place}<${value.type}>` : place
  visit(here, value)
  for (const [name, inside] of Object.entries(value)) {
    const at = here === '' ? name : `${here}.${name}`
    if (!FREE.test(at)) visitObjects(inside, visit, at)
  }
}

/** The demands that an answer does not meet, as `place: field`. */
export function lacksOf({ type, json }: Pick<TypedAnswer, 'type' | 'json'>, demands: Demands): string[] {
  const lacks: string[] = []
  visitObjects(json, (place, object) => {
    const { required = [], not_null = [] } = demands[type]?.[place] ?? {}
    for (const name of required) if (!(name in object)) lacks.push(`${place}: ${name}`)
    for (const name of not_null) if (object[name] === null) lacks.push(`${place}: ${name} is null`)
  })
  return lacks
}
