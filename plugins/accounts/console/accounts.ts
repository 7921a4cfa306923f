// Routes of accounts for the operator: the list, one account, its changes and its status.
import type { Static } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { changeDetails, detailsOf } from '../../../src/access/account-details.ts'
import { checkPriceGroup, setPriceGroup } from '../../../src/access/account-group.ts'
import { createAccount, renameAccount, suspendAccount } from '../../../src/access/accounts.ts'
import { budgetsOfAccount } from '../../../src/access/budgets.ts'
import { closeAccount, reopenAccount } from '../../../src/access/closing.ts'
import { countUsableKeys } from '../../../src/access/key-listing.ts'
import { requireRight } from '../../../src/access/rights.ts'
import { consoleList } from '../../../src/app/list/pages.ts'
import {
  type ConsoleParts,
  changed,
  FAILURES,
  operatorCalls,
} from '../../../src/app/surface/console/calls.ts'
import { AccountParams } from '../../../src/app/surface/console/fields.ts'
import { requireUnchanged } from '../../../src/app/surface/console/meanwhile.ts'
import { lockedAccount, requireAccount } from '../../../src/app/surface/console/references.ts'
import type { Gateway } from '../../../src/app/surface/gateway.ts'
import { conflict, invalidRequest } from '../../../src/domain/errors.ts'
import { lastCallOf, spendingOf } from '../../../src/money/ledger/spending.ts'
import { defined } from '../../../src/utilities/defined.ts'
import { account_list } from '../list.ts'
import {
  AccountChanges,
  AccountView,
  accountView,
  CloseBody,
  ClosedView,
  NewAccount,
  RenamedView,
  SuspendBody,
  sectionOf,
} from './views.ts'

/** `GET` and `POST /console/api/accounts`, `/console/api/accounts.csv`; `GET` and `PATCH /console/api/accounts/{id}`. */
export function accountRoutes(gateway: ConsoleParts) {
  const { catalogue, now } = gateway.calls
  const list = consoleList(gateway, account_list)
  return new Elysia({ name: 'console-accounts' })
    .use(operatorCalls(gateway))
    .get('/console/api/accounts', ({ viewer, query }) => list.page(viewer, query), list.page_route)
    .get('/console/api/accounts.csv', ({ viewer, query }) => list.file(viewer, query), list.file_route)
    .post(
      '/console/api/accounts',
      async ({ viewer, origin, body: { name, price_group = null, ...details } }) => {
        checkPriceGroup(catalogue(), price_group)
        const { id } = await changed(gateway, { viewer, origin }, async (tx) => {
          const made = await createAccount(tx, { name, price_group, now_ms: now() })
          await changeDetails(tx, name, defined(details))
          return made
        })
        return viewOfAccount(gateway, String(id))
      },
      { body: NewAccount, response: { 200: AccountView, ...FAILURES } },
    )
    .get('/console/api/accounts/:id', ({ params }) => viewOfAccount(gateway, params.id), {
      params: AccountParams,
      response: { 200: AccountView, ...FAILURES },
    })
    .patch(
      '/console/api/accounts/:id',
      async ({ viewer, origin, params: { id }, body: { was, name, price_group, ...details } }) => {
        const account = await changed(gateway, { viewer, origin }, async (tx) => {
          // Before the account's lock: the same order of locks as in `renameAccount`.
          if (name !== undefined) await tx.lock(null)
          const found = await lockedAccount(tx, id)
          const is = { ...(await detailsOf(tx, found.id)), name: found.name, price_group: found.price_group }
          requireUnchanged(was && defined(was), is, defined({ name, price_group, ...details }))
          if (name !== undefined && name !== found.name) await renameAccount(tx, found.name, name)
          await changeDetails(tx, name ?? found.name, defined(details))
          if (price_group !== undefined) {
            checkPriceGroup(catalogue(), price_group, found.price_group)
            await setPriceGroup(tx, name ?? found.name, price_group)
          }
          return found
        })
        return {
          account: await viewOfAccount(gateway, String(account.id)),
          remark: remarkOn(gateway, account.name, name ?? account.name),
        }
      },
      { params: AccountParams, body: AccountChanges, response: { 200: RenamedView, ...FAILURES } },
    )
}

/** `POST /console/api/accounts/{id}/suspend` and `/resume`, also for support. Only an operator can reopen a closed account. */
export const accountStatusRoutes = (gateway: ConsoleParts) =>
  new Elysia({ name: 'console-account-status' })
    .use(operatorCalls(gateway, { changes: 'help_accounts' }))
    .post(
      '/console/api/accounts/:id/suspend',
      async ({ viewer, origin, params: { id }, body }) => {
        await changed(gateway, { viewer, origin }, async (tx) => {
          const account = await lockedAccount(tx, id)
          if (account.status === 'closed') throw closedAlready(account.name)
          await suspendAccount(tx, account.name, { ...defined(body ?? {}), now_ms: gateway.calls.now() })
        })
        return viewOfAccount(gateway, id)
      },
      { params: AccountParams, body: SuspendBody, response: { 200: AccountView, ...FAILURES } },
    )
    .post(
      '/console/api/accounts/:id/resume',
      async ({ viewer, origin, params: { id } }) => {
        await changed(gateway, { viewer, origin }, async (tx) => {
          const { name, status } = await lockedAccount(tx, id)
          if (status === 'closed') requireRight(viewer, 'operate')
          await reopenAccount(tx, name)
        })
        return viewOfAccount(gateway, id)
      },
      { params: AccountParams, response: { 200: AccountView, ...FAILURES } },
    )

/** `POST /console/api/accounts/{id}/close`. */
export function accountClosingRoutes(
  gateway: Pick<Gateway, 'calls' | 'requests' | 'content' | 'people' | 'db'>,
) {
  const { now } = gateway.calls
  const { responses } = gateway.content
  return new Elysia({ name: 'console-account-closing' }).use(operatorCalls(gateway)).post(
    '/console/api/accounts/:id/close',
    async ({ viewer, origin, params: { id }, body }) => {
      const revoked_keys = await changed(gateway, { viewer, origin }, async (tx) => {
        const { name } = await lockedAccount(tx, id)
        if (body.name !== name)
          throw invalidRequest(`name: enter ${name} to close the account.`, {
            param: 'name',
          })
        return closeAccount(tx, name, now())
      })
      // Among others, it deletes the kept responses of closed accounts.
      await responses.sweep()
      return { account: await viewOfAccount(gateway, id), revoked_keys }
    },
    { params: AccountParams, body: CloseBody, response: { 200: ClosedView, ...FAILURES } },
  )
}

/** Returns an account with all fields of its page. @throws GatewayError not_found */
export async function viewOfAccount(
  gateway: Pick<Gateway, 'calls' | 'db'>,
  reference: string,
): Promise<Static<typeof AccountView>> {
  const { db } = gateway
  const { now } = gateway.calls
  const account = await requireAccount(gateway, reference)
  const { id } = account
  const spending = await spendingOf(db, [id], now())
  return accountView(gateway, account, {
    spending: spending.get(id),
    keys: await countUsableKeys(db, id, now()),
    last_call_at_ms: await lastCallOf(db, id),
    details: await detailsOf(db, id),
    budgets: await budgetsOfAccount(db, id),
  })
}

function remarkOn(
  { calls: { catalogue } }: Pick<Gateway, 'calls'>,
  before: string,
  name: string,
): string | null {
  if (before === name || !Object.hasOwn(catalogue().limits.accounts ?? {}, before)) return null
  return `The catalogue has limits for ${before}: rename ${sectionOf(before)} there, too.`
}

const closedAlready = (name: string) =>
  conflict(`The account "${name}" is already closed. Resume it to open it again.`)
