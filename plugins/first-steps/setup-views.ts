// The schemas of the operator's first steps: requests and answers.
import { Type } from '@sinclair/typebox'
import { RequestKey } from '../../src/app/surface/console/fields.ts'
import { Closed } from '../../src/http/schema.ts'
import { MoneyFields } from '../../src/http/views.ts'
import { KNOWN_FIELDS, Usd } from '../catalogue/index.ts'

const Name = Type.String({ maxLength: 128 })

export const SetupView = Closed({
  due: Type.Boolean({ description: 'whether no call was ever recorded' }),
  ...KNOWN_FIELDS,
  providers: Type.Array(Closed({ name: Type.String(), protocol: Type.String(), simulated: Type.Boolean() })),
  models: Type.Array(
    Closed({
      id: Type.String(),
      providers: Type.Array(Type.String()),
      input: Usd,
      output: Usd,
    }),
    { description: 'text models that can be called' },
  ),
  accounts: Type.Array(Closed({ name: Type.String(), display_name: Type.String(), ...MoneyFields('free') }), {
    description: 'the first active ones by name',
  }),
})

export const AccountBody = Closed({
  account: Name,
  balance_usd: Type.Optional(
    Type.String({ maxLength: 32, description: 'of a new account; absent: the account is there already' }),
  ),
  key: Name,
  request_key: RequestKey,
})
export const KeyMade = Closed({
  account: Type.String(),
  key_id: Type.Integer(),
  prefix: Type.String(),
  text: Type.String({ description: 'visible in this answer only, and in that of a repeated request' }),
})
