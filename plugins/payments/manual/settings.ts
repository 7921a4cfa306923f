// The settings of bank transfers, [payments.manual]: what people are told, and which amounts they may send.
import { type Static, Type } from '@sinclair/typebox'
import { closed } from '../../../src/catalogue/schema-parts.ts'
import type { TomlPath } from '../../../src/catalogue/toml.ts'
import { isCurrency, minorDigits, parseMinor } from '../../../src/domain/currencies.ts'
import { DAY_MS } from '../../../src/domain/ranges.ts'
import { Decimal } from '../decimal.ts'

export const ManualSchema = Type.Object(
  {
    title: Type.String({
      default: 'Bank transfer',
      minLength: 1,
      maxLength: 60,
      description: 'what people choose it by',
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
    min: Type.Optional(Decimal('the smallest transfer, in its currency; 1 where absent')),
    max: Type.Optional(Decimal('the largest transfer, in its currency; 10000 where absent')),
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
  readonly min_minor: number
  readonly max_minor: number
  readonly expires_ms: number
}

const PATH: TomlPath = ['payments', 'manual']

/** Reads the section, whose shape has been checked. @param all the currencies that accounts may pay in */
export function readManual(
  {
    title,
    instructions,
    currencies = [],
    min = '1',
    max = '10000',
    expires_days,
  }: Static<typeof ManualSchema>,
  all: readonly string[],
  report: (path: TomlPath, message: string) => void,
): ManualSettings {
  for (const [at, currency] of currencies.entries()) {
    const path = [...PATH, 'currencies', at]
    if (!isCurrency(currency)) report(path, 'is not a currency: write its ISO 4217 code, such as EUR')
    else if (!all.includes(currency)) report(path, `has no rate: add ${currency} to [payments.rates]`)
  }
  const taken = currencies.length > 0 ? currencies.filter((one) => all.includes(one)) : all
  const [first = 'USD', ...others] = taken
  if (others.some((other) => minorDigits(other) !== minorDigits(first)))
    report(
      [...PATH, 'currencies'],
      'mixes currencies with and without cents, which min and max cannot be for: leave some out',
    )
  const limit = (field: 'min' | 'max', text: string): number => {
    const minor = parseMinor(text, first)
    if (minor === undefined || minor === 0)
      report(
        [...PATH, field],
        `must be an amount in ${first} above 0, without a fraction of its smallest coin`,
      )
    return minor ?? 1
  }
  const [min_minor, max_minor] = [limit('min', min), limit('max', max)]
  if (min_minor > max_minor) report([...PATH, 'max'], 'must be at least min')
  return { title, instructions, currencies: taken, min_minor, max_minor, expires_ms: expires_days * DAY_MS }
}
