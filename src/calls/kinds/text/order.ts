// A text call that was read: its model, its request, and what its price depends on.
import type { TextModel } from '../../../domain/catalogue.ts'
import type { TokenPrice } from '../../../domain/prices.ts'
import type { RequestedTier } from '../../../domain/service-tiers.ts'
import type { QuotedRequest } from '../../../money/pricing/quote.ts'
import type { RequestFacts } from '../../../protocols/facts.ts'
import type { PaidOrder } from '../../life/call.ts'
import type { Passages, TextRequest } from './passage.ts'

export interface TextOrder extends PaidOrder<TextModel> {
  request: TextRequest
  facts: RequestFacts
  /** Tells its conversation from others of the account; undefined also where its model has one route and key. */
  session: string | undefined
  /** The request that the hold is quoted for. */
  quoted: QuotedRequest
  /** The service tier that it is held at, which the model has a price for; undefined: the standard one. */
  service_tier: RequestedTier | undefined
  /** The model's price at that tier. */
  price: TokenPrice
  passages: Passages
}
