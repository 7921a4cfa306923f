// Money of accounts: topped up and debited by the operator, each deed once.
import type { Static } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { unprocessable } from '../../../src/domain/errors.ts'
import { formatUsd, type Nanos } from '../../../src/domain/money.ts'
import type { MoneyOutcome, Refused } from '../../../src/ledger/operations.ts'
import type { Gateway } from '../../../src/surface/gateway.ts'
import { FAILURES, operatorCalls } from '../calls.ts'
import { shownAccount } from './accounts.ts'
import { DebitBody, MovedView, TopUpBody } from './accounts-views.ts'
import { requireAccount } from './asked.ts'
import { AccountParams, readPositiveUsd } from './fields.ts'

/** `POST /console/api/accounts/{id}/top-up` and `/debit`: the same `deed` sent again moves nothing. */
export function accountMoneyRoutes(gateway: Gateway) {
  return new Elysia({ name: 'console-account-money' })
    .use(operatorCalls(gateway))
    .post(
      '/console/api/accounts/:id/top-up',
      ({ params, body, origin }) => moved(gateway, { op: 'top_up', ...params, ...body, ...origin }),
      { params: AccountParams, body: TopUpBody, response: { 200: MovedView, ...FAILURES } },
    )
    .post(
      '/console/api/accounts/:id/debit',
      ({ params, body, origin }) => moved(gateway, { op: 'withdraw', ...params, ...body, ...origin }),
      { params: AccountParams, body: DebitBody, response: { 200: MovedView, ...FAILURES } },
    )
}

interface Movement {
  op: 'top_up' | 'withdraw'
  /** The account, by number or name. */
  id: string
  /** In USD, as it was typed. */
  amount: string
  note?: string
  deed: string
  request_id: string
}

/** @throws GatewayError invalid_request, not_found; unprocessable where the ledger refuses, or the deed was another one */
async function moved(
  gateway: Gateway,
  { op, id, amount, note = '', deed, request_id }: Movement,
): Promise<Static<typeof MovedView>> {
  const amount_nanos = readPositiveUsd('amount', amount)
  const { id: account_id } = requireAccount(gateway, id)
  const outcome = await gateway.deeds.once<MoneyOutcome>(
    {
      account_id,
      id: deed,
      kind: op === 'top_up' ? 'top_up' : 'withdrawal',
      amount_nanos: op === 'top_up' ? amount_nanos : -amount_nanos,
      note,
      request_id,
    },
    (now_ms) => gateway.ledger.submit({ op, account_id, amount_nanos, note, now_ms }),
  )
  if (outcome && !outcome.ok) throw refusalOf(gateway, id, amount_nanos, outcome)
  return { account: shownAccount(gateway, String(account_id)), again: outcome === undefined }
}

function refusalOf(gateway: Gateway, id: string, amount_nanos: Nanos, { refusal }: Refused) {
  const { balance_nanos, held_nanos } = requireAccount(gateway, id)
  if (refusal === 'insufficient_balance') {
    const held = held_nanos > 0 ? ` ${formatUsd(held_nanos)} USD are held for calls under way.` : ''
    return unprocessable(
      `amount: ${formatUsd(balance_nanos - held_nanos)} USD are free, less than ${formatUsd(amount_nanos)}.${held} Nothing was taken.`,
      { param: 'amount', code: refusal },
    )
  }
  if (refusal === 'amount_out_of_range')
    return unprocessable('amount: the balance would be more than an account can hold. Nothing was added.', {
      param: 'amount',
      code: refusal,
    })
  return unprocessable(`The ledger refused: ${refusal}. Nothing was moved.`, { code: refusal })
}
