// A call as lists show it: to the operator with the route that served it and its margin, to an account without.

import { type Static, Type } from '@sinclair/typebox'
import type { Viewer } from '../../../src/access/viewer.ts'
import { DISPLAY_NAME, type Unnamed } from '../../../src/app/surface/console/account-names.ts'
import { MARGIN_FIELDS, marginOfCall } from '../../../src/app/surface/console/margin-views.ts'
import { LISTED_OUTCOMES, OUTCOMES } from '../../../src/domain/outcomes.ts'
import { outputTokens, promptTokens } from '../../../src/domain/usage.ts'
import { Closed, Nullable, OneOf } from '../../../src/http/schema.ts'
import { MoneyFields, money, TimeFields, time } from '../../../src/http/views.ts'
import type { RecordedCall } from '../../../src/money/ledger/history.ts'
import { type RecordedRefusal, refusedBy } from '../../refusals/index.ts'

/** What every view of a call has. */
export const ROW_FIELDS = {
  request_id: Type.String(),
  account_id: Type.Integer(),
  account: Type.String(),
  key_id: Type.Integer(),
  key: Type.String({ description: "the key's name" }),
  key_prefix: Type.String(),
  surface: Type.String(),
  model: Type.String(),
  provider: Nullable(Type.String({ description: 'null for accounts, and where no route answered' })),
  upstream_model: Nullable(Type.String()),
  failed_tries: Nullable(Type.Integer({ description: 'tries at routes that failed; null for accounts' })),
  outcome: OneOf(OUTCOMES),
  status: Type.Integer(),
  streamed: Type.Boolean(),
  estimated: Type.Boolean({ description: 'the usage is an estimate of the gateway' }),
  input_tokens: Type.Integer({ description: 'all that was read, cached or not' }),
  output_tokens: Type.Integer({ description: 'all that was written' }),
  images: Type.Integer(),
  ...MoneyFields('cost'),
  ...MoneyFields('unpaid'),
  ...MARGIN_FIELDS,
  ...TimeFields('started'),
  first_byte_ms: Nullable(Type.Integer()),
  duration_ms: Type.Integer(),
}
const Row = Closed(ROW_FIELDS)
/** A call in the list, or a refused request beside it: that has no usage, costs nothing, and may have no model. */
export const ListedRow = Closed({
  ...ROW_FIELDS,
  ...DISPLAY_NAME,
  outcome: OneOf(LISTED_OUTCOMES),
  refusal: Nullable(
    Type.String({ description: 'why it was refused, as the caller was told; null for calls' }),
  ),
})

export function callRow(call: RecordedCall, viewer: Viewer): Static<typeof Row> {
  const sees_routes = viewer.role === 'operator'
  return {
    request_id: call.request_id,
    account_id: call.account_id,
    account: call.account_name,
    key_id: call.key_id,
    key: call.key_name,
    key_prefix: call.key_prefix,
    surface: call.surface,
    model: call.model,
    provider: sees_routes ? call.provider || null : null,
    upstream_model: sees_routes ? call.upstream_model || null : null,
    failed_tries: sees_routes ? call.failed_tries : null,
    outcome: call.outcome,
    status: call.status,
    streamed: call.streamed === 1,
    estimated: call.estimated === 1,
    input_tokens: promptTokens(call),
    output_tokens: outputTokens(call),
    images: call.images,
    ...money('cost', call.cost_nanos),
    ...money('unpaid', call.unpaid_nanos),
    ...marginOfCall(call, sees_routes),
    ...time('started', call.started_at_ms),
    first_byte_ms: call.first_byte_ms,
    duration_ms: call.duration_ms,
  }
}

export const listedCall = (call: RecordedCall, viewer: Viewer): Unnamed<Static<typeof ListedRow>> => ({
  ...callRow(call, viewer),
  refusal: null,
})

export const listedRefusal = (refusal: RecordedRefusal): Unnamed<Static<typeof ListedRow>> => ({
  ...refusedBy(refusal),
  model: refusal.model ?? '',
  outcome: 'refused',
  status: refusal.status,
  refusal: refusal.sentence,
  ...time('started', refusal.at_ms),
  ...NO_CALL,
})

const NO_CALL = {
  provider: null,
  upstream_model: null,
  failed_tries: null,
  streamed: false,
  estimated: false,
  input_tokens: 0,
  output_tokens: 0,
  images: 0,
  ...money('cost', 0),
  ...money('unpaid', 0),
  ...marginOfCall({ cost_nanos: 0, provider_cost_nanos: null }, false),
  first_byte_ms: null,
  duration_ms: 0,
}
