// A text call as its surface makes it, as it is read, and as it is ordered: its model, its request, and what its price depends on.
import type { TextModel } from '../../../domain/catalogue.ts'
import type { TokenPrice } from '../../../domain/prices.ts'
import type { RequestedTier } from '../../../domain/service-tiers.ts'
import type { QuotedRequest } from '../../../money/pricing/quote.ts'
import type { RequestFacts } from '../../../protocols/facts.ts'
import type { CallerProtocol } from '../../../protocols/protocol.ts'
import type { JsonObject } from '../../../protocols/wire/json.ts'
import type { CallTarget } from '../../bodies/arrival.ts'
import type { PaidCall } from '../../life/admission.ts'
import type { Admitted, PaidOrder } from '../../life/call.ts'
import type { TextBody } from './body.ts'
import type { Dialect } from './dialect.ts'
import type { Passages, TextRequest } from './passage.ts'

export interface TextCall extends PaidCall {
  body_limit_bytes: number
  /** From the address, or read from the body: then the model is found only after the body is read. */
  target: CallTarget | ((body: JsonObject) => CallTarget)
  /** The caller's. */
  protocol: CallerProtocol
  dialect: (body: JsonObject) => Dialect
  /**
   * Changes a request before its price is known: resolves references to kept content, drops tools without a price.
   * @returns the very same body where nothing changes @throws GatewayError for every refusal
   */
  revise?: (read: ReadText) => Promise<TextBody>
  /** The caller's headers that are forwarded to a provider of the same protocol. */
  forwarded_headers: Readonly<Record<string, string>>
}

/** A text request that was read, and not priced yet. */
export interface ReadText {
  admitted: Admitted
  model: TextModel
  body: TextBody
  facts: RequestFacts
}

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
