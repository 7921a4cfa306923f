// Schemas of vouchers in requests and responses.
import { type Static, Type } from '@sinclair/typebox'
import { AccountRef, UsdText } from '../../src/app/surface/console/fields.ts'
import { Closed } from '../../src/http/schema.ts'
import { MoneyFields, money, NullableTimeFields } from '../../src/http/views.ts'
import { MAX_COUNT } from './creating.ts'
import type { RedemptionResult } from './redeeming.ts'

const MAX_DAYS = 3_650
const MAX_CODE_CHARS = 200

export const EXAMPLE_CODE = '1JP6-GZGJ-B3Y3-S8J0-NVH9-5ZAT-DGM'

const CodeText = Type.String({
  minLength: 1,
  maxLength: MAX_CODE_CHARS,
  must: 'the code of a voucher',
  description:
    'The code of the voucher. Case, spaces and hyphens make no difference, and O, I and L are read as 0, 1 and 1.',
  examples: [EXAMPLE_CODE],
})

export const RedeemRequest = Closed({ code: CodeText })
export const RedeemBody = Closed({ code: CodeText, account: Type.Optional(AccountRef) })

export const RedeemedView = Closed(
  {
    voucher: Type.Integer({ description: 'The ID of the voucher.' }),
    ...MoneyFields('amount', 'The amount of the voucher'),
    ...MoneyFields('balance', 'The balance of the account afterwards'),
    again: Type.Boolean({
      description: 'Whether the account had redeemed it before, so that nothing was added.',
    }),
  },
  { description: 'The voucher that was redeemed.' },
)

export const redeemedView = ({
  voucher_id,
  amount_nanos,
  balance_nanos,
  again,
}: RedemptionResult): Static<typeof RedeemedView> => ({
  voucher: voucher_id,
  ...money('amount', amount_nanos),
  ...money('balance', balance_nanos),
  again,
})

export const CreateBody = Closed({
  amount: UsdText,
  count: Type.Integer({ minimum: 1, maximum: MAX_COUNT, must: `a whole number from 1 to ${MAX_COUNT}` }),
  days: Type.Optional(
    Type.Integer({ minimum: 1, maximum: MAX_DAYS, must: `a whole number from 1 to ${MAX_DAYS}` }),
  ),
  once_per_account: Type.Boolean(),
  note: Type.Optional(Type.String({ maxLength: 500, must: 'at most 500 characters' })),
})

export const CreatedView = Closed({
  batch: Type.Integer(),
  codes: Type.Array(Type.String(), { description: 'shown only here' }),
  ...MoneyFields('amount', 'The amount of each voucher'),
  ...NullableTimeFields('expires'),
})

export const RevokedView = Closed({ revoked: Type.Integer({ description: 'number of revoked vouchers' }) })
