// The settings of the staff, [staff]: what support may credit to accounts in a day.
import { type Static, Type } from '@sinclair/typebox'
import { closed } from '../../src/catalogue/schema-parts.ts'
import { defineSection } from '../../src/catalogue/sections.ts'
import { type Nanos, parseUsd } from '../../src/domain/money.ts'

const MAX_USD = 1_000_000

const StaffSchema = Type.Object(
  {
    support_credit_usd: Type.Number({
      default: 0,
      minimum: 0,
      maximum: MAX_USD,
      must: `an amount in USD of 0 up to ${MAX_USD}`,
      description:
        'what each support person may add to balances and refund in a day (UTC), together; 0: nothing',
    }),
  },
  closed,
)

interface StaffSettings {
  readonly support_credit_nanos: Nanos
}

export const staffSettings = defineSection({
  name: 'staff',
  schema: StaffSchema,
  read: ({ support_credit_usd }: Static<typeof StaffSchema>): StaffSettings => ({
    support_credit_nanos: parseUsd(support_credit_usd),
  }),
  before: 'console',
})
