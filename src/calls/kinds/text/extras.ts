// The extras of a text call: their hold and their charge.
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

/** The most that a call's extras can cost, by any of its model's routes. @param passages of these routes */
export function heldForExtras({ price }: TextModel, passages: readonly Passage[]): Nanos {
  const { extras } = price
  return extras === undefined
    ? 0
    : Math.max(0, ...passages.map((passage) => extrasCeiling(extras, passage.extras)))
}

/** Extras by which a provider reads and writes no more than it is sent: a tier, a place, a speed, a voice. */
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

/** Whether a call may read and write more than its request says: its provider runs tools, or asks other models. */
export const exceedsRequest = (extras: readonly RequestedExtra[]): boolean => extras.some(addsWork)

/** The most input tokens that a provider's report is believed with; undefined for a call that may read more than its request says. */
export const maxCredibleInput = (
  { context }: TextModel,
  { runs_tools }: RequestFacts,
  extras: readonly RequestedExtra[],
): number | undefined => (runs_tools || exceedsRequest(extras) ? undefined : CONTEXT_MARGIN * context)

const addsWork = ({ name }: RequestedExtra): boolean => !SAME_WORK.has(name)

/** The charge for the extras of a sent request whose caller left before the answer: each at least once. */
export const spentExtras = ({ price }: TextModel, { extras }: Passage): readonly ExtraCharge[] =>
  price.extras ? chargedExtras(price.extras, extras, { units: () => undefined, complete: false }) : NO_CHARGES

/** The counting of what is used in one answer. */
export interface ExtrasTally {
  /** @param complete all of the answer came, and its usage is the provider's own */
  charges(complete: boolean): readonly ExtraCharge[]
}

const NO_TALLY: ExtrasTally = { charges: () => NO_CHARGES }

/** Of a whole answer. */
export function tallyAnswer({ price }: TextModel, passage: Passage, answer: JsonObject): ExtrasTally {
  const count = countOf(price.extras, passage)
  count?.read(answer)
  return tallyOf(price.extras, passage, count)
}

/** Of a stream: a reading that counts, too; the same one where no extras are requested. */
export function tallyStream(
  { price }: TextModel,
  passage: Passage,
  reading: StreamReading,
): { reading: StreamReading; tally: ExtrasTally } {
  const count = countOf(price.extras, passage)
  return {
    // Every event is parsed: such calls are few, and dear.
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
): ExtrasTally => (prices ? countedBy(count, prices, passage) : NO_TALLY)

const countedBy = (
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
