// View of one call by its request id: its record, trace, charge and stored idempotent answer.

import { type Static, Type } from '@sinclair/typebox'
import { accountOf, seesKey, type Viewer } from '../../../src/access/viewer.ts'
import { named } from '../../../src/app/surface/console/account-names.ts'
import { costsDiffer } from '../../../src/domain/cost-difference.ts'
import { conflict, type GatewayError, notFound } from '../../../src/domain/errors.ts'
import { USAGE_FIELDS, type Usage } from '../../../src/domain/usage.ts'
import { Closed } from '../../../src/http/schema.ts'
import { money, time } from '../../../src/http/views.ts'
import { idempotencyQueries } from '../../../src/idempotency/queries.ts'
import { imagesOfCall } from '../../../src/library/generations.ts'
import { type CallTrace, readTrace } from '../../../src/money/ledger/traces.ts'
import type { Db } from '../../../src/store/db.ts'
import { visibleLine } from '../../../src/utilities/visible-text.ts'
import { findRefusal } from '../../refusals/index.ts'
import {
  callsOfAnswer,
  callUnderWay,
  chargeOf,
  findCall,
  type RefundOfCall,
  refundsOf,
  type TracedCall,
} from '../one-call.ts'
import { priceLines, tierApplied } from '../price-lines.ts'
import { callRow } from './call-row.ts'
import type { CallView } from './call-views.ts'

type View = Static<typeof CallView>

export const CallParams = Closed({
  request_id: Type.String({ minLength: 1, maxLength: 256, must: 'the id of a request' }),
})

/** @throws GatewayError not_found; conflict (code call_under_way) for a call that is still running */
export async function callView(db: Db, viewer: Viewer, request_id: string): Promise<View> {
  const account_id = accountOf(viewer)
  const call = await findCall(db, request_id, account_id)
  if (!call || !seesKey(viewer, call.key_id)) throw await missingCallError(db, viewer, request_id)
  const trace = readTrace(call.trace)
  const sees_routes = viewer.side === 'operator'
  const charge = await chargeOf(db, call)
  const parts = await callsOfAnswer(db, call)
  return {
    ...(await named(db, viewer, callRow(call, viewer))),
    timings: timingsOf(call, trace),
    tried: sees_routes ? triedOf(trace) : null,
    more_tried: sees_routes ? (trace.more_tried ?? 0) : 0,
    failure: failureOf(trace, sees_routes),
    ...money('hold', call.hold_nanos),
    ...money('ceiling', trace.ceiling_nanos ?? null),
    output_limit: trace.output_limit ?? null,
    usage: usageOf(call),
    reported: reportedOf(call, trace),
    doubt: trace.doubt ?? null,
    ...providerCosts(call, sees_routes),
    service_tier: tierApplied(call),
    lines: priceLines(call).map(({ rate_nanos, amount_nanos, ...line }) => ({
      ...line,
      ...money('rate', rate_nanos),
      ...money('amount', amount_nanos),
    })),
    entry: charge ? { id: charge.id, ...money('amount', charge.amount_nanos) } : null,
    refunds: (await refundsOf(db, call)).map((refund) => refundView(refund, sees_routes)),
    idempotency: await idempotencyOf(db, call, trace),
    parts: parts.map(({ request_id, model, outcome, cost_nanos }) => ({
      ...{ request_id, model, outcome },
      ...money('cost', cost_nanos),
    })),
    image_ids: await imagesOfCall(db, call.id),
  }
}

/** An account sees that the operator made the refund, but not by which command. */
function refundView({ id, amount_nanos, note, created_at_ms, by }: RefundOfCall, is_operator: boolean) {
  const { command = null, machine_user = null } = is_operator && by ? by : {}
  return {
    entry: id,
    ...money('amount', amount_nanos),
    reason: visibleLine(note),
    by: command === null ? 'operator' : `${machine_user ?? 'command'}: tollgate ${command}`,
    ...time('created', created_at_ms),
  }
}

/** The error for a call that was not found. It reveals nothing about calls of keys that the viewer may not see. */
async function missingCallError(db: Db, viewer: Viewer, request_id: string): Promise<GatewayError> {
  const account_id = accountOf(viewer)
  const isVisible = (found: { key_id: number } | undefined) => found && seesKey(viewer, found.key_id)
  if (isVisible(await callUnderWay(db, request_id, account_id)))
    return conflict('This call is still running. Its cost is shown once it has ended.', {
      code: 'call_under_way',
    })
  if (isVisible(await findRefusal(db, request_id, account_id)))
    return notFound('This request was refused: it is no call.', {
      param: 'request_id',
      code: 'request_refused',
    })
  return notFound(
    'No request found with this id. Those that were refused without a known key, or long ago, are only in the log.',
    { param: 'request_id' },
  )
}

const timingsOf = (call: TracedCall, { held_ms, sent_ms, head_ms, left_ms }: CallTrace): View['timings'] => ({
  held_ms: held_ms ?? null,
  sent_ms: sent_ms ?? null,
  head_ms: head_ms ?? null,
  first_byte_ms: call.first_byte_ms,
  left_ms: left_ms ?? null,
  settled_ms: call.duration_ms,
})

const triedOf = ({ tried = [] }: CallTrace): NonNullable<View['tried']> =>
  tried.map(({ model, key, status, words, ...one }) => ({
    ...one,
    upstream_model: model,
    provider_key: key,
    status: status ?? null,
    words: words ?? '',
  }))

function failureOf({ failure }: CallTrace, sees_routes: boolean): View['failure'] {
  if (!failure) return null
  const { kind, code, message, cause } = failure
  return { kind, code: code ?? null, message: message ?? null, cause: sees_routes ? (cause ?? null) : null }
}

/** The provider cost as the provider reported it, and as computed by the route's `cost`. */
function providerCosts(
  { reported_cost_nanos: reported, computed_cost_nanos: computed }: TracedCall,
  sees_routes: boolean,
) {
  return {
    ...money('reported_cost', sees_routes ? reported : null),
    ...money('computed_cost', sees_routes ? computed : null),
    costs_differ: sees_routes && costsDiffer(reported, computed),
  }
}

/** Returns the fields that are not zero. */
function usageOf(usage: Usage): Record<string, number> {
  return Object.fromEntries(
    USAGE_FIELDS.filter((field) => usage[field] > 0).map((field) => [field, usage[field]]),
  )
}

/** The trace has the reported usage only if it differs from the charged usage. */
function reportedOf(call: TracedCall, { told: reported }: CallTrace): View['reported'] {
  if (reported)
    return Object.fromEntries(Object.entries(reported).map(([name, count]) => [name, count ?? null]))
  const usage = usageOf(call)
  return call.estimated === 1 || Object.keys(usage).length === 0 ? null : usage
}

async function idempotencyOf(
  db: Db,
  call: TracedCall,
  { idempotency_key_sha256, held_ms = 0 }: CallTrace,
): Promise<View['idempotency']> {
  if (idempotency_key_sha256 === undefined) return null
  const { account_id, request_id, started_at_ms } = call
  const kept = await idempotencyQueries(db).ofRequest.get({
    account_id,
    request_id,
    from_ms: started_at_ms,
    to_ms: started_at_ms + held_ms,
  })
  return {
    key_sha256: idempotency_key_sha256,
    answer_is_kept: kept !== undefined && kept.kept_bytes > 0,
    replays: kept?.replays ?? 0,
    ...time('replayed', kept?.replayed_at_ms ?? null),
  }
}
