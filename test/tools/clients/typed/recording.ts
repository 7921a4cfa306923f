// The recording of demands: each field of the answers is once left out and once null; a client demands the field if it then cannot read the answer.
import type { JsonObject } from '../../../../src/protocols/wire/json.ts'
import type { TypedAnswer } from './answers.ts'
import { type Demands, lacksOf, visitObjects } from './demands.ts'

interface Variant {
  readonly answer: TypedAnswer
  readonly place: string
  readonly field: string
  readonly change: 'not_null' | 'required'
}

/** The variants of each field at each place, from the first answer that has it. */
export function variantsOf(answers: readonly TypedAnswer[]): Variant[] {
  const variants: Variant[] = []
  const known = new Set<string>()
  for (const { type, json } of answers)
    visitObjects(json, (place, object) => {
      for (const field of Object.keys(object))
        for (const change of ['required', 'not_null'] as const) {
          const id = [type, place, field, change].join('\n')
          // The type of an object is its place.
          if (field === 'type' || known.has(id) || (change === 'not_null' && object[field] === null)) continue
          known.add(id)
          const answer = { type, name: id, json: changed(json, object, field, change) }
          variants.push({ answer, place, field, change })
        }
    })
  return variants
}

/** The answer with one object of it changed. */
function changed(json: JsonObject, object: JsonObject, field: string, change: Variant['change']): JsonObject {
  const value = object[field] ?? null
  if (change === 'required') Reflect.deleteProperty(object, field)
  else object[field] = null
  const copy = structuredClone(json)
  // A deleted field returns at the end, since the order of fields does not matter.
  object[field] = value
  return copy
}

/**
 * The demands that the refused variants show, except those that an answer readable by all clients does not meet.
 * @param read answers that every client reads
 */
export function demandsOf(refused: readonly Variant[], read: readonly TypedAnswer[]): Demands {
  const unmet = (all: Demands) =>
    new Set(read.flatMap((a) => lacksOf(a, all).map((lack) => `${a.type}\n${lack}`)))
  const all = gather(refused)
  const wrong = unmet(all)
  return gather(
    refused.filter(({ answer: { type }, place, field, change }) => {
      const lack = `${place}: ${field}${change === 'required' ? '' : ' is null'}`
      return !wrong.has(`${type}\n${lack}`)
    }),
  )
}

function gather(refused: readonly Variant[]): Demands {
  const demands: Record<string, Record<string, { required: string[]; not_null: string[] }>> = {}
  const order = (one: Variant) => `${one.answer.type} ${one.place} ${one.field}`
  for (const variant of refused.toSorted((a, b) => (order(a) < order(b) ? -1 : 1))) {
    const { answer, place, field, change } = variant
    const of_type = demands[answer.type] ?? {}
    const demand = of_type[place] ?? { required: [], not_null: [] }
    demands[answer.type] = of_type
    of_type[place] = demand
    demand[change].push(field)
  }
  return demands
}
