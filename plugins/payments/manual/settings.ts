// The settings of bank transfers, [payments.manual]: instructions, currencies and limits.
import { type Static, Type } from '@sinclair/typebox'
import { closed } from '../../../src/catalogue/schema-parts.ts'
import type { TomlPath } from '../../../src/catalogue/toml.ts'
import { isCurrency } from '../../../src/domain/currencies.ts'
import { type Nanos, parseUsd } from '../../../src/domain/money.ts'
import { DAY_MS } from '../../../src/domain/ranges.ts'
import type { AmountLimits } from '../../../src/payment-api.ts'
import { convertLimits } from '../amounts.ts'
import { Decimal } from '../decimal.ts'

export const ManualSchema = Type.Object(
  {
    title: Type.String({
      default: 'Bank transfer',
      minLength: 1,
      maxLength: 60,
      description: 'name of the payment method on pages',
    }),
    instructions: Type.String({
      minLength: 1,
      maxLength: 4_000,
      description:
        'what people do to pay, such as your bank details; {reference} and {amount} are filled in, and added where they are missing',
    }),
    currencies: Type.Optional(
      Type.Array(Type.String(), {
        minItems: 1,
        maxItems: 40,
        description: 'currencies that you take transfers in; all of [payments.rates] where absent',
      }),
    ),
    min_usd: Type.Optional(Decimal('the credit of the smallest transfer; 1 where absent')),
    max_usd: Type.Optional(Decimal('the credit of the largest transfer; 10000 where absent')),
    expires_days: Type.Integer({
      default: 14,
      minimum: 1,
      maximum: 90,
      description:
        'how long an order waits for its transfer; one that comes later can still be marked as paid',
    }),
  },
  closed,
)

export interface ManualSettings {
  readonly title: string
  readonly instructions: string
  readonly currencies: readonly string[]
  readonly limits: Readonly<Record<string, AmountLimits>>
  readonly expires_ms: number
}

const PATH: TomlPath = ['payments', 'manual']

/** Reads the validated section. @param rates of the currencies that accounts may pay in */
export function readManual(
  {
    title,
    instructions,
    currencies = [],
    min_usd = '1',
    max_usd = '10000',
    expires_days,
  }: Static<typeof ManualSchema>,
  rates: ReadonlyMap<string, Nanos>,
  report: (path: TomlPath, message: string) => void,
): ManualSettings {
  for (const [at, currency] of currencies.entries()) {
    const path = [...PATH, 'currencies', at]
    if (!isCurrency(currency)) report(path, 'is not a currency: write its ISO 4217 code, such as EUR')
    else if (!rates.has(currency)) report(path, `has no rate: add ${currency} to [payments.rates]`)
  }
  const accepted = [...rates].filter(([currency]) => currencies.length === 0 || currencies.includes(currency))
  const [min_nanos, max_nanos] = [parseUsd(min_usd), parseUsd(max_usd)]
  if (min_nanos === 0) report([...PATH, 'min_usd'], 'must be more than 0')
  const limits = accepted.map(([currency, rate]) => {
    const of_currency = convertLimits(currency, rate, { min_nanos, max_nanos })
    if (of_currency.max_minor < of_currency.min_minor)
      report([...PATH, 'max_usd'], `must be at least min_usd, and a whole ${currency}`)
    return [currency, of_currency] as const
  })
  return {
    ...{ title, instructions, currencies: accepted.map(([currency]) => currency) },
    limits: Object.fromEntries(limits),
    expires_ms: expires_days * DAY_MS,
  }
}
