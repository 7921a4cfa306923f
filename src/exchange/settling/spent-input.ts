// The input of a request that was sent: what a caller pays who leaves before anything was reported or delivered.
import type { ExtraCharge } from '../../domain/extras.ts'
import type { TokenPrice } from '../../domain/prices.ts'
import { NO_USAGE } from '../../domain/usage.ts'
import { chargeTokens } from '../../pricing/charge.ts'
import type { Spent } from '../life/paid-kind.ts'

/** @param input_tokens the estimate @param extras what was used beyond tokens, as far as is known */
export function spentInput(
  price: TokenPrice,
  input_tokens: number,
  extras: readonly ExtraCharge[] = [],
): Spent {
  const usage = { ...NO_USAGE, input_tokens }
  return { usage, charge: chargeTokens(price, usage, extras) }
}
