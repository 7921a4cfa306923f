// The settings [payments]: proposed amounts, currency rates, bonuses, and payment methods.
import { type Static, Type } from '@sinclair/typebox'
import { closed } from '../../src/catalogue/schema-parts.ts'
import { defineSection, type SectionContext } from '../../src/catalogue/sections.ts'
import type { TomlPath } from '../../src/catalogue/toml.ts'
import { isCurrency } from '../../src/domain/currencies.ts'
import { NANOS_PER_USD, type Nanos, parseUsd } from '../../src/domain/money.ts'
import type { Bonus } from './amounts.ts'
import { Decimal } from './decimal.ts'
import { ManualSchema, type ManualSettings, readManual } from './manual/settings.ts'
import { type ReadStripe, readStripe, STRIPE_ORIGIN, StripeSchema } from './stripe/settings.ts'

/** The name of a payment method. */
export const methodName = Type.String({
  pattern: '^[a-z0-9-]{1,40}$',
  must: 'the name of a payment method, in lower-case letters, digits and hyphens',
})

const PaymentsSchema = Type.Object(
  {
    presets: Type.Optional(
      Type.Array(Decimal('an amount in the currency of the payment'), {
        maxItems: 8,
        description: 'amounts that "Add funds" proposes',
      }),
    ),
    rates: Type.Optional(
      Type.Record(Type.String(), Decimal('USD of credit for one unit of the currency'), {
        maxProperties: 40,
        description:
          'currencies that accounts may pay in, with USD of credit for one unit of each; USD alone where absent',
      }),
    ),
    bonuses: Type.Optional(
      Type.Array(
        Type.Object(
          {
            from_usd: Decimal('the least credit that it is for'),
            percent: Decimal('of the credit, such as "5"'),
          },
          closed,
        ),
        { maxItems: 10, description: 'bonuses on larger payments; the greatest that fits is given' },
      ),
    ),
    stripe: Type.Optional(StripeSchema),
    manual: Type.Optional(ManualSchema),
  },
  closed,
)

export interface PaymentSettings extends ReadStripe {
  /** In major units, as the operator wrote them. */
  readonly presets: readonly string[]
  /** Nano-dollars of credit for one unit, by currency. */
  readonly rates: ReadonlyMap<string, Nanos>
  readonly bonuses: readonly Bonus[]
  /** Undefined: bank transfers are off. */
  readonly manual: ManualSettings | undefined
}

const DEFAULT_PRESETS = ['10', '25', '50', '100']

function readPayments(
  {
    presets = DEFAULT_PRESETS,
    rates: written_rates,
    bonuses = [],
    stripe,
    manual,
  }: Static<typeof PaymentsSchema>,
  context: SectionContext,
): PaymentSettings {
  const { report } = context
  const rates = written_rates ? readRates(written_rates, report) : new Map([['USD', NANOS_PER_USD]])
  return {
    presets,
    rates,
    bonuses: bonuses.map(({ from_usd, percent }, at) =>
      readBonus(from_usd, percent, (message) => report(['payments', 'bonuses', at, 'percent'], message)),
    ),
    ...readStripe(stripe, context),
    manual: manual && readManual(manual, rates, report),
  }
}

function readRates(
  rates: Readonly<Record<string, string>>,
  report: (path: TomlPath, message: string) => void,
): Map<string, Nanos> {
  const read = new Map<string, Nanos>()
  for (const [currency, rate] of Object.entries(rates)) {
    const path = ['payments', 'rates', currency]
    const rate_nanos = parseUsd(rate)
    if (!isCurrency(currency)) report(path, 'is not a currency: write its ISO 4217 code, such as EUR')
    else if (rate_nanos === 0) report(path, 'must be more than 0: USD of credit for one unit of the currency')
    else if (currency === 'USD' && rate_nanos !== NANOS_PER_USD) report(path, 'must be "1": credit is in USD')
    else read.set(currency, rate_nanos)
  }
  return read
}

function readBonus(from_usd: string, percent: string, report: (message: string) => void): Bonus {
  // In integers, since floating point gives 1.1 * 10 ≠ 11.
  const per_mille = parseUsd(percent) / (NANOS_PER_USD / 10)
  if (!Number.isInteger(per_mille) || per_mille < 1 || per_mille > 1_000)
    report('must be between 0.1 and 100, with at most one decimal')
  return { from_nanos: parseUsd(from_usd), per_mille }
}

export const paymentSettings = defineSection({
  name: 'payments',
  schema: PaymentsSchema,
  read: readPayments,
  secrets: {
    at: ([method, field]) =>
      method === 'stripe' && (field === 'secret_key' || field === 'webhook_secret')
        ? STRIPE_ORIGIN
        : undefined,
    in: ({ stripe }) => (stripe ? [stripe.secret_key, stripe.webhook_secret] : []),
  },
})
