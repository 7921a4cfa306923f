// The settings [referral]: the referrers' share of payments and its duration.
import { type Static, Type } from '@sinclair/typebox'
import { closed } from '../../src/catalogue/schema-parts.ts'
import { defineSection, type SectionContext } from '../../src/catalogue/sections.ts'

const ReferralSchema = Type.Object(
  {
    share: Type.Number({
      default: 0,
      minimum: 0,
      maximum: 1,
      description:
        'share of each payment for the account whose link the payer used to sign up, such as 0.1; 0: referrals are off',
    }),
    months: Type.Integer({
      default: 12,
      minimum: 1,
      maximum: 120,
      description: 'for how many months after the sign-up',
    }),
  },
  closed,
)

export interface ReferralSettings {
  /** In thousandths of a payment; 0: off. */
  per_mille: number
  months: number
}

function readReferral(
  { share, months }: Static<typeof ReferralSchema>,
  { report }: SectionContext,
): ReferralSettings {
  const per_mille = Math.round(share * 1_000)
  if (Math.abs(share * 1_000 - per_mille) > 1e-9)
    report(['referral', 'share'], 'must have at most three decimals, such as 0.125')
  return { per_mille, months }
}

export const referralSettings = defineSection({
  name: 'referral',
  schema: ReferralSchema,
  read: readReferral,
})
