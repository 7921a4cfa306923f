// Parsing of an amount that a person typed.
import { isCurrency, minorDigits, parseMinor } from '../../src/domain/currencies.ts'
import { invalidRequest } from '../../src/domain/errors.ts'

/** @param name field name for the error @throws GatewayError invalid_request */
export function readAmount(
  { amount, currency }: { amount: string; currency: string },
  name = 'amount',
): number {
  if (!isCurrency(currency))
    throw invalidRequest('currency: is unknown. Choose one of the payment method.', { param: 'currency' })
  const amount_minor = parseMinor(amount, currency)
  if (amount_minor !== undefined && amount_minor > 0) return amount_minor
  const digits = minorDigits(currency)
  const advice =
    digits === 0
      ? 'a whole number above 0'
      : `an amount above 0 with at most ${digits} digits after the point`
  throw invalidRequest(`${name}: enter ${advice}.`, { param: name })
}
