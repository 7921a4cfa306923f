// Extras of a request that are billed beyond tokens: their prices and unit limits.
import type { FieldHandling, TextModel } from '../../../domain/catalogue.ts'
import { LONG_CONTEXT, type RequestedExtra, SERVICE_TIER } from '../../../domain/extras.ts'
import type { RequestedTier } from '../../../domain/service-tiers.ts'
import { tierOf } from '../../../money/pricing/charge.ts'
import { unknownField } from '../../../protocols/extras.ts'
import type { Protocol } from '../../../protocols/protocol.ts'
import { type JsonObject, refusal } from '../../../protocols/wire/json.ts'

const NONE: readonly RequestedExtra[] = []
const NO_NAMES: readonly string[] = []

/** The extras that a pass-through request may use. Plain values, which can be sent to a thread. */
export interface ExtrasRules {
  /** The extras that the model has a price for. */
  priced: readonly string[]
  /** The service tiers that the model has a price for. */
  service_tiers: readonly string[]
  long_context: LongContext
  unknown_fields: FieldHandling
  /** The caller's headers that are forwarded. */
  headers: Readonly<Record<string, string>>
}

/** The longest prompt at the standard price, for models that need a beta for longer ones. */
const DEFAULT_CONTEXT_TOKENS = 200_000

/**
 * The effect of a request for longer prompts: none if the model's context is longer anyway; prompts beyond its context if a price tier
 * covers them; otherwise a refusal.
 */
type LongContext = 'within context' | 'beyond context' | 'unpriced'

function longContextOf({ context, price }: TextModel): LongContext {
  if (context > DEFAULT_CONTEXT_TOKENS) return 'within context'
  return tierOf(price, DEFAULT_CONTEXT_TOKENS + 1).above_tokens > 0 ? 'beyond context' : 'unpriced'
}

/** @param headers the caller's forwarded headers */
export const extrasRules = (model: TextModel, headers: Readonly<Record<string, string>>): ExtrasRules => ({
  long_context: longContextOf(model),
  priced: model.price.extras ? [...model.price.extras.keys()] : NO_NAMES,
  service_tiers: model.price.service_tiers ? [...model.price.service_tiers.keys()] : NO_NAMES,
  unknown_fields: model.unknown_fields,
  headers,
})

/**
 * Returns the extras of a pass-through request.
 * @throws GatewayError invalid_request for an extra without a price, for references to state that only one provider stores, and for
 * unknown fields if the model refuses them
 */
export function pricedExtras(
  { text: { extras } }: Protocol,
  body: JsonObject,
  { priced, service_tiers, long_context, unknown_fields, headers }: ExtrasRules,
): readonly RequestedExtra[] {
  if (!extras) return NONE
  const requested = extras.find(body, headers)
  for (const { name, at, tier } of requested)
    if (name === SERVICE_TIER) {
      if (tier === undefined || !service_tiers.includes(tier)) throw unpricedTier(at, service_tiers)
    } else if (name === LONG_CONTEXT) {
      if (long_context === 'unpriced') throw refusal(at, UNPRICED_CONTEXT)
    } else if (!priced.includes(name))
      throw refusal(
        at,
        `is billed beyond tokens, and this model has no price for ${name}. Leave it out, or choose another model.`,
      )
  if (unknown_fields === 'refuse')
    for (const name of Object.keys(body)) if (!extras.known_fields.has(name)) throw unknownField(name)
  return long_context === 'within context' && requested.some(requestsLongContext)
    ? requested.filter((extra) => !requestsLongContext(extra))
    : requested
}

/** Whether an extra allows a prompt longer than the model's context. */
export const requestsLongContext = ({ name }: RequestedExtra): boolean => name === LONG_CONTEXT

const UNPRICED_CONTEXT =
  'asks for a longer context, and this model has no price for longer prompts. Leave it out, or choose another model.'

const unpricedTier = (at: string, priced: readonly string[]) =>
  refusal(
    at,
    priced.length === 0
      ? 'asks for a service tier, and this model has no price for any. Leave it out, or choose another model.'
      : `asks for a service tier that this model has no price for. Use ${priced.join(' or ')}, or leave it out.`,
  )

/**
 * Sets the service tier in a translated request. A provider without that field would serve, and bill, another tier.
 * @throws GatewayError invalid_request if the provider's protocol has no tiers
 */
export function withTier(
  { carries, text: { extras } }: Protocol,
  body: JsonObject,
  { name, at }: RequestedTier,
): JsonObject {
  const ask = extras?.service_tier?.ask
  if (!ask) throw refusal(at, `is not supported by ${carries.models}. Leave it out, or choose another model.`)
  return ask(body, name)
}

/** Returns the unit limit of each extra priced by the unit; undefined without extras. */
export function unitLimits(
  { price }: TextModel,
  requested: readonly RequestedExtra[],
): Readonly<Record<string, number>> | undefined {
  if (requested.length === 0 || !price.extras) return undefined
  const by_unit = [...price.extras].filter(([, { per }]) => per === 'unit')
  return Object.fromEntries(by_unit.map(([name, { max_units }]) => [name, max_units]))
}

/**
 * Returns the caller's headers for a model's providers. The request for a longer context is removed if the model has no price for it,
 * so that providers reject prompts that they would bill higher than the caller is charged.
 */
export const pricedHeaders = (
  protocol: Protocol | undefined,
  model: TextModel,
  headers: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> =>
  longContextOf(model) === 'unpriced'
    ? (protocol?.text?.extras?.withoutLongContext?.(headers) ?? headers)
    : headers
