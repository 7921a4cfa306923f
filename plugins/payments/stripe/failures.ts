// Classification of Stripe's errors, and messages for people.
import { conflict, type GatewayError, invalidRequest } from '../../../src/domain/errors.ts'

/** Documented fields of the errors of Stripe's library: https://docs.stripe.com/api/errors. */
interface StripeFailure {
  rawType?: string
  code?: string
  decline_code?: string
  param?: string
  statusCode?: number
  message: string
}

const asFailure = (thrown: unknown): StripeFailure | undefined =>
  thrown instanceof Error && 'rawType' in thrown ? (thrown as StripeFailure) : undefined

/** Returns the error if Stripe refused the request itself, and undefined for a failure of the network, of Stripe or of the key. */
export function refusalOf(thrown: unknown): StripeFailure | undefined {
  const failure = asFailure(thrown)
  const { rawType, statusCode } = failure ?? {}
  const is_refusal = rawType === 'card_error' || (rawType === 'invalid_request_error' && statusCode === 400)
  return is_refusal ? failure : undefined
}

/** Whether Stripe does not know an object whose ID the gateway has, such as an object of another Stripe account. */
export const isMissing = (thrown: unknown, param?: string): boolean => {
  const failure = asFailure(thrown)
  return failure?.code === 'resource_missing' && (param === undefined || failure.param === param)
}

/** Whether Stripe Tax cannot locate a customer by their address. */
export const lacksLocation = (thrown: unknown): boolean =>
  ['customer_tax_location_invalid', 'invalid_tax_location'].includes(asFailure(thrown)?.code ?? '')

export const isRefusedKey = (thrown: unknown): boolean => asFailure(thrown)?.statusCode === 401

/** Whether a restricted key lacks a permission. */
export const lacksPermission = (thrown: unknown): boolean => asFailure(thrown)?.statusCode === 403

/** Converts an error that the payer can correct to a GatewayError; returns any other error unchanged. */
export function toPayerError(thrown: unknown): unknown {
  const { code } = refusalOf(thrown) ?? {}
  if (code === 'amount_too_small')
    return wrongAmount('amount: is less than cards can be charged in this currency. Write more.', thrown)
  if (code === 'amount_too_large')
    return wrongAmount('amount: is more than cards can be charged at once. Write less.', thrown)
  if (asFailure(thrown)?.rawType === 'idempotency_error')
    return conflict('The payment of this order was started with other data. Create a new order.', {
      code: 'order_closed',
      cause: thrown,
    })
  return thrown
}

const wrongAmount = (message: string, cause: unknown): GatewayError =>
  invalidRequest(message, { param: 'amount', cause })

/** Explains to the account why its saved card was not charged. */
export function declineMessage({ code, decline_code, message }: StripeFailure): string {
  if (code === 'authentication_required' || decline_code === 'authentication_required')
    return 'Your bank asks you to confirm the payment. Add funds once by hand, or save another card.'
  if (code === 'expired_card') return 'The saved card has expired. Save another one.'
  if (decline_code === 'insufficient_funds') return 'The saved card has too little money on it.'
  return `The saved card was declined: ${message}`
}
