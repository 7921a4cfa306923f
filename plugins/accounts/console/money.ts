// Console routes that move money: top-ups by operators and support, debits by operators, once for each Idempotency-Key.

import type { Static } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import {
  byOf,
  type ConsoleParts,
  FAILURES,
  operatorCalls,
  type Requester,
} from '../../../src/app/surface/console/calls.ts'
import { AccountParams, MovementHeaders, readPositiveUsd } from '../../../src/app/surface/console/fields.ts'
import { requireAccount } from '../../../src/app/surface/console/references.ts'
import type { Gateway } from '../../../src/app/surface/gateway.ts'
import { type GatewayError, unprocessable } from '../../../src/domain/errors.ts'
import { formatUsd, type Nanos } from '../../../src/domain/money.ts'
import { checkNote } from '../../../src/domain/notes.ts'
import type { Refused } from '../../../src/money/ledger/operations.ts'
import { allowanceOf, overAllowance } from '../../staff/index.ts'
import { viewOfAccount } from './accounts.ts'
import { DebitBody, MovedView, TopUpBody } from './views.ts'

const SHAPE = { params: AccountParams, headers: MovementHeaders, response: { 200: MovedView, ...FAILURES } }

/** `POST /console/api/accounts/{id}/top-up`. A repeated request with the same `Idempotency-Key` moves nothing. */
export const accountCreditRoute = (gateway: ConsoleParts) =>
  new Elysia({ name: 'console-account-credit' })
    .use(operatorCalls(gateway, { changes: 'credit' }))
    .post('/console/api/accounts/:id/top-up', (call) => moved(gateway, 'top_up', call), {
      ...SHAPE,
      body: TopUpBody,
    })

/** `POST /console/api/accounts/{id}/debit`. A repeated request with the same `Idempotency-Key` moves nothing. */
export const accountDebitRoute = (gateway: ConsoleParts) =>
  new Elysia({ name: 'console-account-debit' })
    .use(operatorCalls(gateway))
    .post('/console/api/accounts/:id/debit', (call) => moved(gateway, 'withdraw', call), {
      ...SHAPE,
      body: DebitBody,
    })

interface Movement extends Requester {
  /** The account, by id or name. */
  params: { id: string }
  /** The amount in USD, as text. */
  body: { amount: string; note?: string }
  headers: Static<typeof MovementHeaders>
}

/** @throws GatewayError as `allowanceOf`; invalid_request, not_found; unprocessable if the ledger refuses */
async function moved(
  gateway: Pick<Gateway, 'calls' | 'db'>,
  op: 'top_up' | 'withdraw',
  { viewer, origin, params: { id }, body: { amount, note = '' }, headers }: Movement,
): Promise<Static<typeof MovedView>> {
  const allowance = allowanceOf(gateway, viewer)
  const amount_nanos = readPositiveUsd('amount', amount)
  checkNote(note)
  const { id: account_id } = await requireAccount(gateway, id)
  const now_ms = gateway.calls.now()
  const movement = {
    ...{ account_id, amount_nanos, note, now_ms },
    request_key: headers['idempotency-key'],
    by: byOf(gateway, { viewer, origin }),
  }
  const outcome = await gateway.calls.ledger.submit(
    op === 'top_up' ? { op, ...movement, allowance } : { op, ...movement },
  )
  if (!outcome.ok) {
    if (allowance && outcome.refusal === 'credit_limit')
      throw overAllowance(allowance, outcome, 'Nothing was added.')
    throw await refusalOf(gateway, id, amount_nanos, outcome)
  }
  return { account: await viewOfAccount(gateway, String(account_id)), again: outcome.first !== undefined }
}

async function refusalOf(
  gateway: Pick<Gateway, 'db'>,
  id: string,
  amount_nanos: Nanos,
  { refusal }: Refused,
): Promise<GatewayError> {
  const { balance_nanos, held_nanos } = await requireAccount(gateway, id)
  if (refusal === 'insufficient_balance') {
    const held = held_nanos > 0 ? ` ${formatUsd(held_nanos)} USD are held for running calls.` : ''
    return unprocessable(
      `amount: ${formatUsd(balance_nanos - held_nanos)} USD are available, less than ${formatUsd(amount_nanos)}.${held} Nothing was debited.`,
      { param: 'amount', code: refusal },
    )
  }
  if (refusal === 'amount_out_of_range')
    return unprocessable('amount: the balance would be more than an account can hold. Nothing was added.', {
      param: 'amount',
      code: refusal,
    })
  if (refusal === 'request_key_used')
    return unprocessable(
      'Idempotency-Key: was used for another top-up or debit of this account. Send a new one. Nothing was changed.',
      { param: 'Idempotency-Key', code: 'idempotency_key_reused' },
    )
  return unprocessable(`The ledger refused: ${refusal}. Nothing was added or taken.`, { code: refusal })
}
