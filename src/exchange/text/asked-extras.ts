// What a request asks for beyond tokens: whether its model has a price for it, and how many units it may take.
import type { Fate, TextModel } from '../../domain/catalogue.ts'
import type { AskedExtra } from '../../domain/extras.ts'
import { unknownField } from '../../protocols/extras.ts'
import type { Protocol } from '../../protocols/protocol.ts'
import { type JsonObject, refusal } from '../../protocols/wire/json.ts'

const NONE: readonly AskedExtra[] = []
const NO_NAMES: readonly string[] = []

/** What a request that goes to a provider as it is may ask for. Plain values, so that they can cross to a thread. */
export interface ExtrasRules {
  /** The extras that the model has a price for. */
  priced: readonly string[]
  unknown_fields: Fate
  /** The caller's headers that the provider is to get too. */
  headers: Readonly<Record<string, string>>
}

/** @param headers the caller's that the provider is to get too */
export const extrasRules = (
  { price, unknown_fields }: TextModel,
  headers: Readonly<Record<string, string>>,
): ExtrasRules => ({ priced: price.extras ? [...price.extras.keys()] : NO_NAMES, unknown_fields, headers })

/**
 * The extras of a request that goes to a provider as it is.
 * @throws GatewayError invalid_request for one that the model has no price for, for what a provider alone remembers, and for
 * unknown fields where the model refuses them
 */
export function pricedExtras(
  { text: { extras } }: Protocol,
  body: JsonObject,
  { priced, unknown_fields, headers }: ExtrasRules,
): readonly AskedExtra[] {
  if (!extras) return NONE
  const asked = extras.find(body, headers)
  for (const { name, at } of asked)
    if (!priced.includes(name))
      throw refusal(
        at,
        `is billed beyond tokens, and this model has no price for ${name}. Leave it out, or choose another model.`,
      )
  if (unknown_fields === 'refuse')
    for (const name of Object.keys(body)) if (!extras.known_fields.has(name)) throw unknownField(name)
  return asked
}

/** The most units of each extra that has a price by the unit; undefined if nothing is asked for. */
export function unitLimits(
  { price }: TextModel,
  asked: readonly AskedExtra[],
): Readonly<Record<string, number>> | undefined {
  if (asked.length === 0 || !price.extras) return undefined
  const by_unit = [...price.extras].filter(([, { per }]) => per === 'unit')
  return Object.fromEntries(by_unit.map(([name, { max_units }]) => [name, max_units]))
}
