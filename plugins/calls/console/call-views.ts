// Schema of one call on its page: timings, attempts, usage, and the charge line by line.

import { Type } from '@sinclair/typebox'
import { DISPLAY_NAME } from '../../../src/app/surface/console/account-names.ts'
import { OUTCOMES } from '../../../src/domain/outcomes.ts'
import { Closed, Nullable, OneOf } from '../../../src/http/schema.ts'
import { MoneyFields, NullableMoneyFields, NullableTimeFields, TimeFields } from '../../../src/http/views.ts'
import { ROW_FIELDS } from './call-row.ts'

const SinceStart = (what: string) =>
  Nullable(Type.Integer({ description: `milliseconds since the call was let in: ${what}` }))

const Timings = Closed({
  held_ms: SinceStart('its money was held'),
  sent_ms: SinceStart('the request that was answered went out'),
  head_ms: SinceStart('the head of the answer came'),
  first_byte_ms: SinceStart('the first byte of the answer was ready'),
  left_ms: SinceStart('its caller left'),
  settled_ms: Type.Integer({ description: 'milliseconds since the call was let in: it was settled' }),
})

const Try = Closed({
  provider: Type.String(),
  upstream_model: Type.String(),
  provider_key: Type.String({ description: 'which key of the provider, by its number' }),
  at_ms: Type.Integer(),
  took_ms: Type.Integer(),
  failure_class: Type.String(),
  status: Nullable(Type.Integer()),
  words: Type.String(),
})

const Line = Closed({
  what: Type.String({
    description:
      'a kind of tokens, a unit, an extra; rounding, interrupted: what is not charged, plan: what it covers',
  }),
  count: Type.Integer(),
  ...MoneyFields('rate'),
  per: Type.Integer({ description: 'of so many is the rate the price' }),
  ...MoneyFields('amount'),
})

const Failure = Closed({
  kind: Type.String(),
  code: Nullable(Type.String()),
  message: Nullable(Type.String({ description: 'the message to the caller' })),
  cause: Nullable(Type.String({ description: 'for the operator alone' })),
})

const Idempotency = Closed({
  key_sha256: Type.String({
    description: 'the first characters of the hash of the Idempotency-Key, in hex',
  }),
  answer_is_kept: Type.Boolean(),
  replays: Type.Integer({ description: 'how often the kept answer was sent again' }),
  ...NullableTimeFields('replayed'),
})

const Refund = Closed({
  entry: Type.Integer({ description: 'the id of its entry' }),
  ...MoneyFields('amount'),
  reason: Type.String(),
  by: Type.String({ description: 'the operator; for the operator alone also which command' }),
  ...TimeFields('created'),
})

export const CallView = Closed({
  ...ROW_FIELDS,
  ...DISPLAY_NAME,
  timings: Timings,
  /** Failed attempts in order of time; null for accounts. */
  tried: Nullable(Type.Array(Try)),
  more_tried: Type.Integer({ description: 'failed tries that are not listed' }),
  failure: Nullable(Failure),
  ...MoneyFields('hold'),
  /** The maximum cost of the call, if less than that was held. */
  ...NullableMoneyFields('ceiling'),
  output_limit: Nullable(Type.Integer({ description: "sent in place of the caller's, in tokens" })),
  usage: Type.Record(Type.String(), Type.Integer(), { description: 'what was charged, by kind' }),
  told: Nullable(
    Type.Record(Type.String(), Nullable(Type.Number()), {
      description: 'what the provider reported; null where it reported nothing',
    }),
  ),
  doubt: Nullable(Type.String({ description: 'why what was reported was not believed' })),
  /** The cost that the provider reports, and the cost by the route's `cost` for the same usage; null for accounts. */
  ...NullableMoneyFields('reported_cost'),
  ...NullableMoneyFields('computed_cost'),
  costs_differ: Type.Boolean({ description: 'by more than 2 %' }),
  service_tier: Nullable(
    Type.String({ description: 'the service tier whose price was applied; null: the standard one' }),
  ),
  lines: Type.Array(Line, { description: 'they add up to the cost' }),
  entry: Nullable(Closed({ id: Type.Integer(), ...MoneyFields('amount') })),
  refunds: Type.Array(Refund, { description: 'the first one first' }),
  idempotency: Nullable(Idempotency),
  /** The other paid calls of the same answer. */
  parts: Type.Array(
    Closed({
      request_id: Type.String(),
      model: Type.String(),
      outcome: OneOf(OUTCOMES),
      ...MoneyFields('cost'),
    }),
  ),
  image_ids: Type.Array(Type.String()),
})
