// The service tier that a text call's answer names, and the charge at that tier.
import type { ExtraCharge } from '../../../domain/extras.ts'
import type { Usage } from '../../../domain/usage.ts'
import type { Charge } from '../../../money/pricing/charge.ts'
import { chargeAtTier } from '../../../money/pricing/service-tiers.ts'
import type { ServiceTierProtocol } from '../../../protocols/extras.ts'
import type { StreamReading } from '../../../protocols/protocol.ts'
import { decodeByteString } from '../../../protocols/wire/byte-string.ts'
import { type JsonObject, parseObject } from '../../../protocols/wire/json.ts'
import type { Attempt } from '../../../upstream/routes.ts'
import type { TextOrder } from './order.ts'
import type { Passage } from './passage.ts'
import { WatchedReading } from './watched-reading.ts'

/** The tier that the answer names; undefined if it names none, or if no price depends on it. */
export type ServedTier = () => string | undefined

const NONE: ServedTier = () => undefined

/** Reads the tier of a whole answer. */
export function servedTier(
  order: TextOrder,
  passage: Passage,
  attempt: Attempt,
  answer: JsonObject,
): ServedTier {
  const tiers = tiersOf(order, passage, attempt)
  return tiers ? () => tiers.served(answer) : NONE
}

/** Watches a stream for the last tier that it names. Returns the same reading if no price depends on it. */
export function watchServedTier(
  order: TextOrder,
  passage: Passage,
  attempt: Attempt,
  reading: StreamReading,
): { reading: StreamReading; served: ServedTier } {
  const tiers = tiersOf(order, passage, attempt)
  if (!tiers) return { reading, served: NONE }
  let last: string | undefined
  const watched = new WatchedReading(reading, (data) => {
    if (!tiers.answer_fields.some((field) => data.includes(field))) return
    const event = parseObject(decodeByteString(data))
    last = (event && tiers.served(event)) ?? last
  })
  return { reading: watched, served: () => last }
}

/** Returns undefined if neither the price nor the cost depends on service tiers. */
const tiersOf = (
  { model: { price } }: TextOrder,
  { protocol: { text } }: Passage,
  { cost }: Attempt,
): ServiceTierProtocol | undefined =>
  price.service_tiers || (cost?.unit === 'token' && cost.service_tiers)
    ? text.extras?.service_tier
    : undefined

/** Returns the tier for the caller's answer: the requested one if the provider names none. */
export const tierForCaller = ({ service_tier }: TextOrder, served: ServedTier): string | undefined =>
  served() ?? service_tier?.name

/** Returns the charge of a call at the tier that served it. */
export const chargeServed = (
  { model, service_tier }: TextOrder,
  served: ServedTier,
  usage: Usage,
  extras: readonly ExtraCharge[],
): Charge => chargeAtTier(model.price, { requested: service_tier?.name, served: served() }, usage, extras)
