// API route for reading the caller's account: money, limits, and the key of the request.
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { ACCOUNT_MONEY_FIELDS, accountMoney } from '../../src/access/account-listing.ts'
import { budgetsOfAccount, budgetsOfKeys, budgetsOfPerson } from '../../src/access/budgets.ts'
import type { KeyOfAccount } from '../../src/access/gate.ts'
import { limitsFor } from '../../src/access/limits.ts'
import {
  budgetsView,
  LimitsView,
  limitsView,
  SpendLimitsView,
  spendLimitsView,
} from '../../src/access/limits-view.ts'
import { ACCOUNT_FAILURES, accountCalls, currentCaller } from '../../src/app/surface/account-calls.ts'
import type { Gateway } from '../../src/app/surface/gateway.ts'
import type { CallParts } from '../../src/calls/parts.ts'
import { NO_BUDGETS } from '../../src/domain/budgets.ts'
import { Closed, Nullable, OneOf } from '../../src/http/schema.ts'
import { MoneyFields, money, NullableMoneyFields, NullableTimeFields, time } from '../../src/http/views.ts'
import type { Db } from '../../src/store/db.ts'
import { PlanView, planView } from '../plans/index.ts'

export const AccountView = Closed(
  {
    account: Type.String({ description: 'The name of the account.' }),
    status: OneOf(['active', 'suspended'], { description: 'Whether the account can make calls.' }),
    ...ACCOUNT_MONEY_FIELDS,
    limits: Closed(
      {
        account: { ...LimitsView, description: 'Of all keys together.' },
        key: { ...LimitsView, description: 'Of this key.' },
      },
      { description: 'The limits that are set, with the current usage of each.' },
    ),
    spend_limits: { ...SpendLimitsView, description: 'The spend limits of the account that are set.' },
    person_spend_limits: {
      ...SpendLimitsView,
      description: 'The spend limits of the person who owns the key, for all their keys together.',
    },
    plan: Nullable(PlanView),
    key: Closed(
      {
        name: Type.String({ description: 'Its name.' }),
        prefix: Type.String({ description: 'Its first 10 characters.' }),
        models: Nullable(Type.Array(Type.String(), { description: 'The models it may call; null for all.' })),
        ...NullableMoneyFields('spend_limit', 'Its spend limit'),
        ...MoneyFields('spent', 'Its spend'),
        ...MoneyFields('held', 'The holds of its running calls'),
        spend_limits: SpendLimitsView,
        ...NullableTimeFields('expires', 'When it expires'),
      },
      { description: 'The key of the request.' },
    ),
  },
  { description: 'The account.' },
)

/** Returns the view of an account and the caller's key. */
export async function accountView(
  { account, key }: KeyOfAccount,
  { catalogue, limiter, now }: Pick<CallParts, 'catalogue' | 'limiter' | 'now'>,
  db: Db,
) {
  const of_call = limitsFor(catalogue().limits, account.name, key)
  return {
    account: account.name,
    status: account.status,
    ...accountMoney(account),
    limits: {
      account: limitsView(of_call.account, await limiter.used('account', account.id)),
      key: limitsView(of_call.key, await limiter.used('key', key.id)),
    },
    spend_limits: budgetsView(await budgetsOfAccount(db, account.id), now()),
    person_spend_limits: budgetsView(
      key.person_id === null
        ? NO_BUDGETS
        : await budgetsOfPerson(db, { account_id: account.id, person_id: key.person_id }),
      now(),
    ),
    plan: account.plan_period_id === null ? null : await planView(db, account.id, now()),
    key: {
      name: key.name,
      prefix: key.prefix,
      models: key.models,
      ...money('spend_limit', key.spend_limit_nanos),
      ...money('spent', key.spent_nanos),
      ...money('held', key.held_nanos),
      spend_limits: spendLimitsView({ ...key, budgets: await budgetsOfKeys(db, [key.id]) }, now()),
      ...time('expires', key.expires_at_ms),
    },
  }
}

export function billing(gateway: Pick<Gateway, 'calls' | 'requests' | 'db'>) {
  return new Elysia({ name: 'billing' })
    .use(accountCalls(gateway))
    .get(
      '/api/v1/account',
      async ({ caller }) => accountView(await currentCaller(gateway, caller), gateway.calls, gateway.db),
      {
        query: Closed({}),
        response: { 200: AccountView, ...ACCOUNT_FAILURES },
        detail: {
          tags: ['Account'],
          operationId: 'getAccount',
          summary: 'Retrieve the account',
          description: 'Balance, limits with their current usage, and the key of the request.',
        },
      },
    )
}
