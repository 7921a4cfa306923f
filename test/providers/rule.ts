// The type of a simulated provider's rule: a refusal, with the documentation or observation that it is based on.
import type { Refusal } from './dialect.ts'
import type { JsonObject } from './json.ts'

/** The parts of a request that rules look at. */
export interface RuleInput {
  readonly model: string
  readonly body: JsonObject
  readonly headers: Headers
}

export interface Rule {
  /** Unique, such as `openai: unknown field`. */
  readonly name: string
  /** Addresses of documentation, of types in a package, or of public threads that quote the refusal. */
  readonly source: string
  /** @returns the refusal of a request that breaks the rule */
  find(input: RuleInput): Refusal | undefined
}

/** The refusal by the first rule that a request breaks; undefined if it breaks none. */
export function refusalBy(rules: readonly Rule[], input: RuleInput): Refusal | undefined {
  for (const rule of rules) {
    const refusal = rule.find(input)
    if (refusal) return refusal
  }
  return undefined
}

/** The first refusal of a list's items. */
export function firstOf<Item>(
  items: readonly Item[],
  find: (item: Item, at: number) => Refusal | undefined,
): Refusal | undefined {
  for (const [at, item] of items.entries()) {
    const found = find(item, at)
    if (found) return found
  }
  return undefined
}
