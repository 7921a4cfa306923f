// The extras of a text call, billed beyond tokens: their hold and their charge.
import type { TextModel } from '../../../domain/catalogue.ts'
import type { ExtraCharge, ExtraPrices, RequestedExtra } from '../../../domain/extras.ts'
import type { Nanos } from '../../../domain/money.ts'
import { CONTEXT_MARGIN } from '../../../money/pricing/billed-usage.ts'
import { chargedExtras, countsAlways, extrasCeiling } from '../../../money/pricing/extras.ts'
import type { ExtrasCount } from '../../../protocols/extras.ts'
import type { RequestFacts } from '../../../protocols/facts.ts'
import type { StreamReading } from '../../../protocols/protocol.ts'
import { type ByteString, decodeByteString } from '../../../protocols/wire/byte-string.ts'
import { type JsonObject, parseObject } from '../../../protocols/wire/json.ts'
import type { Passage } from './passage.ts'
import { WatchedReading } from './watched-reading.ts'

const NO_CHARGES: readonly ExtraCharge[] = []

/** Returns the most that a call's extras can cost on any of its model's routes. @param passages the passages to these routes */
export function maxExtrasCost({ price }: TextModel, passages: readonly Passage[]): Nanos {
  const { extras } = price
  return extras === undefined
    ? 0
    : Math.max(0, ...passages.map((passage) => extrasCeiling(extras, passage.extras)))
}

/** Extras that add nothing to the provider's input or output: a tier, a place, a speed, a voice. */
const SAME_WORK: ReadonlySet<string> = new Set([
  'audio_output',
  'service_tier',
  'speed',
  'inference_geo',
  'provider',
  'route',
  'billing_policy',
  'fallback_credit_token',
])

/** Whether a call may read and write more than its request contains: the provider runs tools or calls other models. */
export const exceedsRequest = (extras: readonly RequestedExtra[]): boolean => extras.some(addsWork)

/** Returns the most input tokens to accept in a provider's report; undefined for a call that may read more than its request. */
export const maxCredibleInput = (
  { context }: TextModel,
  { runs_tools }: RequestFacts,
  extras: readonly RequestedExtra[],
): number | undefined => (runs_tools || exceedsRequest(extras) ? undefined : CONTEXT_MARGIN * context)

const addsWork = ({ name }: RequestedExtra): boolean => !SAME_WORK.has(name)

/** Charges the extras of a sent request whose caller disconnected before the answer: each at least once. */
export const spentExtras = ({ price }: TextModel, { extras }: Passage): readonly ExtraCharge[] =>
  price.extras ? chargedExtras(price.extras, extras, { units: () => undefined, complete: false }) : NO_CHARGES

/** Counts the extras used in one answer. */
export interface ExtrasTally {
  /** @param complete the whole answer arrived, with usage from the provider */
  charges(complete: boolean): readonly ExtraCharge[]
}

const NO_TALLY: ExtrasTally = { charges: () => NO_CHARGES }

/** Tallies a whole answer. */
export function tallyAnswer({ price }: TextModel, passage: Passage, answer: JsonObject): ExtrasTally {
  const count = countOf(price.extras, passage)
  count?.read(answer)
  return tallyOf(price.extras, passage, count)
}

/** Tallies a stream. Returns a reading that also counts; the same reading if no extras are requested. */
export function tallyStream(
  { price }: TextModel,
  passage: Passage,
  reading: StreamReading,
): { reading: StreamReading; tally: ExtrasTally } {
  const count = countOf(price.extras, passage)
  return {
    // Every event is parsed: such calls are few and expensive.
    reading: count ? new WatchedReading(reading, (data) => countEvent(count, data)) : reading,
    tally: tallyOf(price.extras, passage, count),
  }
}

const countOf = (prices: TextModel['price']['extras'], passage: Passage): ExtrasCount | undefined =>
  passage.extras.length === 0 && !countsAlways(prices) ? undefined : passage.protocol.text.extras?.count()

const tallyOf = (
  prices: TextModel['price']['extras'],
  passage: Passage,
  count: ExtrasCount | undefined,
): ExtrasTally => (prices ? tallyWith(count, prices, passage) : NO_TALLY)

const tallyWith = (
  count: ExtrasCount | undefined,
  prices: ExtraPrices,
  { extras }: Passage,
): ExtrasTally => ({
  charges: (complete) => chargedExtras(prices, extras, { units: (name) => count?.units(name), complete }),
})

function countEvent(count: ExtrasCount, data: ByteString): void {
  const event = parseObject(decodeByteString(data))
  if (event) count.read(event)
}
