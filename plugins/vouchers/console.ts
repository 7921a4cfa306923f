// Console routes of vouchers: operators create, list and revoke them, accounts redeem them.
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { consoleList } from '../../src/app/list/pages.ts'
import { byOf, changed, FAILURES, operatorCalls, viewerCalls } from '../../src/app/surface/console/calls.ts'
import { readPositiveUsd } from '../../src/app/surface/console/fields.ts'
import { requireChosenAccount } from '../../src/app/surface/console/references.ts'
import type { Gateway } from '../../src/app/surface/gateway.ts'
import { DAY_MS } from '../../src/domain/ranges.ts'
import { WholeNumber } from '../../src/http/parameters.ts'
import { addressOf } from '../../src/http/sockets.ts'
import { money, time } from '../../src/http/views.ts'
import { createVouchers } from './creating.ts'
import { revokeBatch, revokeVoucher } from './ending.ts'
import { voucher_batch_list, voucher_list } from './list.ts'
import { type RedemptionParts, redeemVoucher } from './redeeming.ts'
import { CreateBody, CreatedView, RedeemBody, RedeemedView, RevokedView, redeemedView } from './views.ts'

export const voucherConsoleRoutes = (gateway: Gateway, parts: RedemptionParts) =>
  new Elysia({ name: 'console-vouchers' })
    .use(redeemRoute(gateway, parts))
    .use(listRoutes(gateway))
    .use(changeRoutes(gateway))

/** `POST /console/api/vouchers/redeem`. An operator chooses the account. */
const redeemRoute = (gateway: Gateway, parts: RedemptionParts) =>
  new Elysia({ name: 'console-redeem-voucher' }).use(viewerCalls(gateway, { changes: 'buy' })).post(
    '/console/api/vouchers/redeem',
    async ({ viewer, origin, body: { code, account } }) => {
      const { id: account_id } = await requireChosenAccount(gateway.db, viewer, account)
      const redeemed = await redeemVoucher(parts, {
        code,
        account_id,
        address: addressOf(origin),
        source: viewer.side === 'operator' ? 'operator' : 'page',
        by: byOf(gateway, { viewer, origin }),
      })
      return redeemedView(redeemed)
    },
    { body: RedeemBody, response: { 200: RedeemedView, ...FAILURES } },
  )

/** `GET /console/api/vouchers`, `GET /console/api/voucher-batches`, and both as CSV. */
function listRoutes(gateway: Gateway) {
  const list = consoleList(gateway, voucher_list)
  const batches = consoleList(gateway, voucher_batch_list)
  return new Elysia({ name: 'console-voucher-lists' })
    .use(operatorCalls(gateway))
    .get('/console/api/vouchers', ({ viewer, query }) => list.page(viewer, query), list.page_route)
    .get('/console/api/vouchers.csv', ({ viewer, query }) => list.file(viewer, query), list.file_route)
    .get(
      '/console/api/voucher-batches',
      ({ viewer, query }) => batches.page(viewer, query),
      batches.page_route,
    )
    .get(
      '/console/api/voucher-batches.csv',
      ({ viewer, query }) => batches.file(viewer, query),
      batches.file_route,
    )
}

const IdParams = Type.Object({ id: WholeNumber({ minimum: 1 }, 'the number of a voucher or a batch') })

/** `POST /console/api/voucher-batches` returns the codes, which are stored nowhere. `DELETE` revokes a batch or a voucher. */
function changeRoutes(gateway: Gateway) {
  const { now } = gateway.calls
  const { randomBytes } = gateway.people
  return new Elysia({ name: 'console-voucher-changes' })
    .use(operatorCalls(gateway))
    .post(
      '/console/api/voucher-batches',
      async ({ viewer, origin, body: { amount, count, days, once_per_account, note = '' } }) => {
        const amount_nanos = readPositiveUsd('amount', amount)
        const now_ms = now()
        const expires_at_ms = days === undefined ? null : now_ms + days * DAY_MS
        const wanted = { amount_nanos, count, expires_at_ms, once_per_account, note: note.trim() }
        const making = { randomBytes, now_ms }
        const { batch, codes } = await changed(gateway, { viewer, origin }, (tx) =>
          createVouchers(tx, wanted, making),
        )
        return {
          batch: batch.id,
          codes: [...codes],
          ...money('amount', amount_nanos),
          ...time('expires', expires_at_ms),
        }
      },
      { body: CreateBody, response: { 200: CreatedView, ...FAILURES } },
    )
    .delete(
      '/console/api/voucher-batches/:id',
      async ({ viewer, origin, params: { id } }) => ({
        revoked: await changed(gateway, { viewer, origin }, (tx) =>
          revokeBatch(tx, id, { source: 'operator', now_ms: now() }),
        ),
      }),
      { params: IdParams, response: { 200: RevokedView, ...FAILURES } },
    )
    .delete(
      '/console/api/vouchers/:id',
      async ({ viewer, origin, params: { id } }) => {
        await changed(gateway, { viewer, origin }, (tx) =>
          revokeVoucher(tx, id, { source: 'operator', now_ms: now() }),
        )
        return { revoked: 1 }
      },
      { params: IdParams, response: { 200: RevokedView, ...FAILURES } },
    )
}
