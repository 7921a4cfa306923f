// The settings of the staff, [staff]: the amount that support may credit in a day.
import { type Static, Type } from '@sinclair/typebox'
import { readUsd } from '../../src/catalogue/prices.ts'
import { closed } from '../../src/catalogue/schema-parts.ts'
import { defineSection, type SectionContext } from '../../src/catalogue/sections.ts'
import type { Nanos } from '../../src/domain/money.ts'

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
  read: ({ support_credit_usd }: Static<typeof StaffSchema>, { report }: SectionContext): StaffSettings => ({
    support_credit_nanos: readUsd(support_credit_usd, ['staff', 'support_credit_usd'], report, MAX_USD),
  }),
  before: 'console',
})
