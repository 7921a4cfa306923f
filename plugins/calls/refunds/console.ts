// Console routes of refunds: of one call, with a preview of the balance, and of the calls of a filter.

import { type Static, Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { accountQueries } from '../../../src/access/queries.ts'
import type { Viewer } from '../../../src/access/viewer.ts'
import { byOf, type ConsoleParts, FAILURES, operatorCalls } from '../../../src/app/surface/console/calls.ts'
import { MovementHeaders, readPositiveUsd, UsdText } from '../../../src/app/surface/console/fields.ts'
import type { Gateway } from '../../../src/app/surface/gateway.ts'
import type { Nanos } from '../../../src/domain/money.ts'
import { checkNote, MAX_NOTE_CHARS } from '../../../src/domain/notes.ts'
import { Closed } from '../../../src/http/schema.ts'
import { MoneyFields, money } from '../../../src/http/views.ts'
import type { Account } from '../../../src/store/schema.ts'
import { allowanceOf, overAllowance } from '../../staff/index.ts'
import { CallParams } from '../console/call.ts'
import { CALL_FILTERS, requestedCalls } from '../console/filter.ts'
import {
  checkRefund,
  MAX_CALLS,
  refundableAmount,
  refundableCalls,
  refundCall,
  refundCalls,
  requireCall,
  type SubmitRefund,
} from './refunds.ts'

const Reason = Type.Optional(
  Type.String({ maxLength: MAX_NOTE_CHARS, must: `a reason of at most ${MAX_NOTE_CHARS} characters` }),
)

const PreviewView = Closed({
  account: Type.String(),
  ...MoneyFields('left'),
  ...MoneyFields('amount'),
  ...MoneyFields('balance'),
  ...MoneyFields('debt'),
  ...MoneyFields('balance_after'),
  ...MoneyFields('debt_after'),
})

const RefundedView = Closed({
  account: Type.String(),
  ...MoneyFields('refunded'),
  ...MoneyFields('balance'),
  ...MoneyFields('debt'),
  again: Type.Boolean({ description: 'this request was carried out before, and refunded nothing now' }),
})

const RefundableView = Closed({
  calls: Type.Integer({ description: `at most ${MAX_CALLS}, the newest` }),
  accounts: Type.Integer(),
  ...MoneyFields('amount'),
  has_more: Type.Boolean({ description: 'more calls match than are refunded at once' }),
  call_ids: Type.Array(Type.Integer()),
})

const RefundsBody = Closed({
  call_ids: Type.Array(Type.Integer({ minimum: 1 }), {
    minItems: 1,
    maxItems: MAX_CALLS,
    uniqueItems: true,
    must: `1 to ${MAX_CALLS} calls by their ids`,
  }),
  reason: Reason,
})

const RefundsView = Closed({
  calls: Type.Integer(),
  ...MoneyFields('amount'),
  skipped: Type.Integer({ description: 'calls that had nothing left to refund, or of an erased account' }),
  again: Type.Boolean({ description: 'this request was carried out before, and refunded nothing now' }),
})

/** For operators; support may refund one call. A repeated request with the same `Idempotency-Key` changes nothing. */
export const refundRoutes = (gateway: ConsoleParts) =>
  new Elysia({ name: 'console-refunds-all' }).use(refundsOfOne(gateway)).use(refundsOfMany(gateway))

function refundsOfOne(gateway: ConsoleParts) {
  const { db, calls } = gateway
  return new Elysia({ name: 'console-refunds-of-one' })
    .use(operatorCalls(gateway, { changes: 'credit' }))
    .get(
      '/console/api/calls/:request_id/refund',
      async ({ params, query }) => await previewOf(gateway, params.request_id, query.amount),
      {
        params: CallParams,
        query: Closed({ amount: Type.Optional(UsdText) }),
        response: { 200: PreviewView, ...FAILURES },
      },
    )
    .post(
      '/console/api/calls/:request_id/refund',
      async ({ viewer, origin, params, body: { amount, reason = '' }, headers }) => {
        checkNote(reason, 'reason')
        const call = await requireCall(db, params.request_id)
        const refund = refundWithAllowance(gateway, viewer)
        const { refunded_nanos, balance_nanos, debt_nanos, first } = await refundCall(refund, call, {
          amount_nanos: amountOf(amount),
          reason,
          request_key: headers['idempotency-key'],
          by: byOf(gateway, { viewer, origin }),
          now_ms: calls.now(),
        })
        return {
          account: call.account_name,
          ...money('refunded', refunded_nanos),
          ...money('balance', balance_nanos),
          ...money('debt', debt_nanos),
          again: first !== undefined,
        }
      },
      {
        params: CallParams,
        headers: MovementHeaders,
        body: Closed({ amount: Type.Optional(UsdText), reason: Reason }),
        response: { 200: RefundedView, ...FAILURES },
      },
    )
}

/** A refund counts against the viewer's credit allowance, if they have one. @throws GatewayError as `allowanceOf` */
function refundWithAllowance(gateway: Pick<Gateway, 'calls'>, viewer: Viewer): SubmitRefund {
  const allowance = allowanceOf(gateway, viewer)
  return async (operation) => {
    const outcome = await gateway.calls.ledger.submit({ ...operation, allowance })
    if (allowance && !outcome.ok && outcome.refusal === 'credit_limit')
      throw overAllowance(allowance, outcome, 'Nothing was refunded.')
    return outcome
  }
}

function refundsOfMany(gateway: ConsoleParts) {
  const { db, calls } = gateway
  const refund: SubmitRefund = (operation) => calls.ledger.submit(operation)
  return new Elysia({ name: 'console-refunds' })
    .use(operatorCalls(gateway))
    .get(
      '/console/api/refunds',
      async ({ viewer, query }) => {
        const found = await refundableCalls(db, (await requestedCalls(gateway, viewer, query)).calls)
        return {
          calls: found.calls.length,
          accounts: new Set(found.calls.map(({ account_id }) => account_id)).size,
          ...money('amount', found.amount_nanos),
          has_more: found.has_more,
          call_ids: found.calls.map(({ id }) => id),
        }
      },
      { query: Closed(CALL_FILTERS), response: { 200: RefundableView, ...FAILURES } },
    )
    .post(
      '/console/api/refunds',
      async ({ viewer, origin, body: { call_ids, reason = '' }, headers }) => {
        checkNote(reason, 'reason')
        const { amount_nanos, ...done } = await refundCalls({ db, refund }, call_ids, {
          reason,
          request_key: headers['idempotency-key'],
          by: byOf(gateway, { viewer, origin }),
          now_ms: calls.now(),
        })
        return { ...done, ...money('amount', amount_nanos) }
      },
      { headers: MovementHeaders, body: RefundsBody, response: { 200: RefundsView, ...FAILURES } },
    )
}

const amountOf = (amount: string | undefined): Nanos | null =>
  amount === undefined ? null : readPositiveUsd('amount', amount)

/** Returns the account's balance and debt before and after a refund. @throws GatewayError as the refund itself */
async function previewOf(
  { db }: Pick<ConsoleParts, 'db'>,
  request_id: string,
  amount: string | undefined,
): Promise<Static<typeof PreviewView>> {
  const call = await requireCall(db, request_id)
  const requested_nanos = amountOf(amount)
  checkRefund(call, requested_nanos)
  const account = await accountQueries(db).accountById.get({ id: call.account_id })
  if (!account) throw new Error('a call has no account')
  const amount_nanos = requested_nanos ?? refundableAmount(call)
  return {
    account: call.account_name,
    ...money('left', refundableAmount(call)),
    ...money('amount', amount_nanos),
    ...money('balance', account.balance_nanos),
    ...money('debt', account.debt_nanos),
    ...afterRefund(account, amount_nanos),
  }
}

/** The same rule as in the ledger: a refund pays debt first, from the part of the balance that is not held. */
function afterRefund({ balance_nanos, held_nanos, debt_nanos }: Account, amount_nanos: Nanos) {
  const paid_nanos = Math.min(debt_nanos, balance_nanos + amount_nanos - held_nanos)
  return {
    ...money('balance_after', balance_nanos + amount_nanos - paid_nanos),
    ...money('debt_after', debt_nanos - paid_nanos),
  }
}
