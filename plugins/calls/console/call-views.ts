// Schema of one call on its page: timings, attempts, usage, and the charge line by line.

import { Type } from '@sinclair/typebox'
import { DISPLAY_NAME } from '../../../src/app/surface/console/account-names.ts'
import { OUTCOMES } from '../../../src/domain/outcomes.ts'
import { Closed, Nullable, OneOf } from '../../../src/http/schema.ts'
import { MoneyFields, NullableMoneyFields, NullableTimeFields, TimeFields } from '../../../src/http/views.ts'
import { ROW_FIELDS } from './call-row.ts'

const untilEvent = (event: string): string => `milliseconds from the admission of the call until ${event}`
const TimeUntil = (event: string) => Nullable(Type.Integer({ description: untilEvent(event) }))

const Timings = Closed({
  held_ms: TimeUntil('its hold was placed'),
  sent_ms: TimeUntil('the answered request was sent'),
  head_ms: TimeUntil('the headers of the answer arrived'),
  first_byte_ms: TimeUntil('the first byte of the answer was ready'),
  left_ms: TimeUntil('the caller disconnected'),
  settled_ms: Type.Integer({ description: untilEvent('it was settled') }),
})

const Try = Closed({
  provider: Type.String(),
  upstream_model: Type.String(),
  provider_key: Type.String({ description: 'the number of the provider key' }),
  at_ms: Type.Integer(),
  took_ms: Type.Integer(),
  failure_class: Type.String(),
  status: Nullable(Type.Integer()),
  words: Type.String(),
})

const Line = Closed({
  what: Type.String({
    description:
      'a kind of tokens, a unit or an extra; `rounding`, `interrupted` for an amount that is free, `plan` for a covered one',
  }),
  count: Type.Integer(),
  ...MoneyFields('rate'),
  per: Type.Integer({ description: 'the number of units that the rate is the price of' }),
  ...MoneyFields('amount'),
})

const Failure = Closed({
  kind: Type.String(),
  code: Nullable(Type.String()),
  message: Nullable(Type.String({ description: 'the message to the caller' })),
  cause: Nullable(Type.String({ description: 'for the operator only' })),
})

const Idempotency = Closed({
  key_sha256: Type.String({
    description: 'the first characters of the hash of the Idempotency-Key, in hex',
  }),
  answer_is_kept: Type.Boolean(),
  replays: Type.Integer({ description: 'how often the stored answer was sent again' }),
  ...NullableTimeFields('replayed'),
})

const Refund = Closed({
  entry: Type.Integer({ description: 'the id of the ledger entry' }),
  ...MoneyFields('amount'),
  reason: Type.String(),
  by: Type.String({ description: 'the operator; for operators also the command' }),
  ...TimeFields('created'),
})

export const CallView = Closed({
  ...ROW_FIELDS,
  ...DISPLAY_NAME,
  timings: Timings,
  /** Failed attempts in order of time; null for accounts. */
  tried: Nullable(Type.Array(Try)),
  more_tried: Type.Integer({ description: 'the number of failed attempts that are not listed' }),
  failure: Nullable(Failure),
  ...MoneyFields('hold'),
  /** The maximum cost of the call, if less than that was held. */
  ...NullableMoneyFields('ceiling'),
  output_limit: Nullable(Type.Integer({ description: "sent instead of the caller's, in tokens" })),
  usage: Type.Record(Type.String(), Type.Integer(), { description: 'the charged quantities, by kind' }),
  reported: Nullable(
    Type.Record(Type.String(), Nullable(Type.Number()), {
      description: 'the quantities that the provider reported; null if it reported none',
    }),
  ),
  doubt: Nullable(Type.String({ description: 'the reason why the reported usage was not used' })),
  /** The cost that the provider reports, and the cost by the route's `cost` for the same usage; null for accounts. */
  ...NullableMoneyFields('reported_cost'),
  ...NullableMoneyFields('computed_cost'),
  costs_differ: Type.Boolean({ description: 'whether they differ by more than 2 %' }),
  service_tier: Nullable(
    Type.String({ description: 'the service tier whose price was applied; null: the standard one' }),
  ),
  lines: Type.Array(Line, { description: 'they add up to the cost' }),
  entry: Nullable(Closed({ id: Type.Integer(), ...MoneyFields('amount') })),
  refunds: Type.Array(Refund, { description: 'oldest first' }),
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
