// A text call: as its surface starts it, as it is read, and as an order with model, request and price facts.
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
  /** From the URL; or a reader of the body, and then the model is found only after the body is read. */
  target: CallTarget | ((body: JsonObject) => CallTarget)
  /** The caller's protocol. */
  protocol: CallerProtocol
  dialect: (body: JsonObject) => Dialect
  /**
   * Changes a request before it is priced: resolves references to kept content, drops tools without a price.
   * @returns the same object if nothing changes @throws GatewayError for every refusal
   */
  revise?: (read: ReadText) => Promise<TextBody>
  /** The caller's headers that providers of the same protocol get. */
  forwarded_headers: Readonly<Record<string, string>>
}

/** A text request that is read but not priced. */
export interface ReadText {
  admitted: Admitted
  model: TextModel
  body: TextBody
  facts: RequestFacts
}

export interface TextOrder extends PaidOrder<TextModel> {
  request: TextRequest
  facts: RequestFacts
  /** Names the conversation within the account; undefined also if the model has one route and key. */
  session: string | undefined
  /** The request as quoted for the hold. */
  quoted: QuotedRequest
  /** The service tier of the hold, which has a price; undefined for the standard tier. */
  service_tier: RequestedTier | undefined
  /** The model's price at that tier. */
  price: TokenPrice
  passages: Passages
}
