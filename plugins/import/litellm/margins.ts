// LiteLLM's margins and discounts on a provider's prices: `cost_margin_config` and `cost_discount_config`.
import { type ExactDecimal, parseDecimal, timesRoundingUp } from '../../../src/catalogue/decimal.ts'
import { isTable, type TomlValue } from '../../../src/catalogue/toml-write.ts'
import { formatUsd, parseUsd } from '../../../src/domain/money.ts'
import { parseNanos } from './amounts.ts'
import { type Fields, fieldsOf, textOf } from './values.ts'

export type Price = { readonly [rate: string]: TomlValue }

/** The margin and discount of one provider. */
interface Margin {
  /** Factor of the provider's cost: 1 minus the discount. */
  readonly discounted: ExactDecimal
  /** Price divided by cost: 1 plus the margin. */
  readonly raised: ExactDecimal
  /** Decimal USD added to each request. */
  readonly per_request: string | undefined
}

/**
 * Margins by provider or `global` are fractions, or `{ percentage, fixed_amount }`: https://docs.litellm.ai/docs/proxy/provider_margins.
 * Discounts by provider are fractions: https://docs.litellm.ai/docs/proxy/provider_discounts.
 *
 * @param prefix LiteLLM's name of the provider
 */
export function marginOf({ cost_margin_config, cost_discount_config }: Fields, prefix: string): Margin {
  const margins = fieldsOf(cost_margin_config)
  const margin = margins[prefix] ?? margins.global
  const parts = fieldsOf(margin)
  const fixed_nanos = parseNanos(parts.fixed_amount)
  return {
    discounted: onePlus(fieldsOf(cost_discount_config)[prefix], -1n),
    raised: onePlus(textOf(margin) ?? parts.percentage, 1n),
    per_request: fixed_nanos === undefined || fixed_nanos <= 0 ? undefined : formatUsd(fixed_nanos),
  }
}

const DECIMAL_TEXT = /^\d+(?:\.\d+)?(?:[eE]-?\d{1,2})?$/
const ONE: ExactDecimal = { coefficient: 1n, exponent: 0 }

/** `1 + sign * value`, exact; 1 if the value is no decimal. */
function onePlus(value: unknown, sign: 1n | -1n): ExactDecimal {
  const text = textOf(value) ?? ''
  if (!DECIMAL_TEXT.test(text)) return ONE
  const { coefficient, exponent } = parseDecimal(text)
  if (exponent >= 0)
    return { coefficient: positive(1n + sign * coefficient * 10n ** BigInt(exponent)), exponent: 0 }
  return { coefficient: positive(10n ** BigInt(-exponent) + sign * coefficient), exponent }
}

const positive = (value: bigint): bigint => (value < 0n ? 0n : value)

const isOne = ({ coefficient, exponent }: ExactDecimal): boolean =>
  exponent <= 0 && coefficient === 10n ** BigInt(-exponent)

/** Multiplies all amounts of a price, and rounds each up. */
export function timesPrice(price: Price, factor: ExactDecimal): Price {
  return isOne(factor) ? price : (times(price, factor) as Price)
}

/** Amounts are decimal texts. Sizes and qualities of images are texts too, but not decimals. */
function times(value: TomlValue, factor: ExactDecimal): TomlValue {
  if (typeof value === 'string')
    return DECIMAL_TEXT.test(value) ? formatUsd(timesRoundingUp(parseUsd(value), factor)) : value
  if (Array.isArray(value)) return value.map((each: TomlValue) => times(each, factor))
  if (!isTable(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, times(each, factor)]))
}
