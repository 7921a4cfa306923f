// What the routes of the first visit take and answer.
import { Type } from '@sinclair/typebox'
import { Nullable } from '../../../src/http/schema.ts'
import { MoneyFields } from '../../../src/http/views.ts'
import { closed } from './fields.ts'
import { KNOWN_FIELDS, Usd } from './known-views.ts'

const Name = Type.String({ maxLength: 128 })

export const SetupView = Type.Object(
  {
    due: Type.Boolean({ description: 'whether no call was ever recorded' }),
    ...KNOWN_FIELDS,
    providers: Type.Array(
      Type.Object({ name: Type.String(), protocol: Type.String(), simulated: Type.Boolean() }, closed),
    ),
    models: Type.Array(
      Type.Object(
        {
          id: Type.String(),
          providers: Type.Array(Type.String()),
          input: Usd,
          output: Usd,
        },
        closed,
      ),
      { description: 'text models that can be called' },
    ),
    accounts: Type.Array(Type.Object({ name: Type.String(), ...MoneyFields('free') }, closed), {
      description: 'the first active ones by name',
    }),
  },
  closed,
)

export const AccountBody = Type.Object(
  {
    account: Name,
    balance_usd: Type.Optional(
      Type.String({ maxLength: 32, description: 'of a new account; absent: the account is there already' }),
    ),
    key: Name,
  },
  closed,
)
export const KeyMade = Type.Object(
  {
    account: Type.String(),
    key_id: Type.Integer(),
    prefix: Type.String(),
    text: Type.String({ description: 'shown this once' }),
  },
  closed,
)

export const FirstCallQuery = Type.Object({ key_id: Type.String({ pattern: '^[0-9]{1,15}$' }) }, closed)
export const FirstCallView = Type.Object(
  {
    call: Nullable(
      Type.Object(
        {
          request_id: Type.String(),
          model: Type.String(),
          outcome: Type.String(),
          status: Type.Integer(),
          input_tokens: Type.Integer(),
          output_tokens: Type.Integer(),
          duration_ms: Type.Integer(),
          ...MoneyFields('cost'),
          ...MoneyFields('left'),
        },
        closed,
      ),
    ),
  },
  closed,
)
