// Console routes of an account's saved card.
import { type Static, Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { createRate } from '../../../src/access/rate.ts'
import { personOf, requireWholeAccount, type Viewer } from '../../../src/access/viewer.ts'
import { byOf, type ConsoleParts, FAILURES, viewerCalls } from '../../../src/app/surface/console/calls.ts'
import { AccountRef } from '../../../src/app/surface/console/fields.ts'
import { requireChosenAccount } from '../../../src/app/surface/console/references.ts'
import { Closed, Nullable } from '../../../src/http/schema.ts'
import { TimeFields, time } from '../../../src/http/views.ts'
import type { Payments } from '../payments.ts'
import { requirePaymentQuota } from './order-rate.ts'

const CardQuery = Type.Object({ account: Type.Optional(AccountRef) })
const CardBody = Closed({ account: Type.Optional(AccountRef) })

const CardView = Type.Object({
  card: Nullable(
    Type.Object({
      brand: Type.String({ description: 'such as `visa`' }),
      last4: Type.String(),
      expires: Type.String({ description: 'last month of validity, such as `2027-08`' }),
      ...TimeFields('saved'),
    }),
  ),
  is_awaited: Type.Boolean({
    description: 'whether a page to save a card was opened and its result is not known yet',
  }),
  can_save: Type.Boolean({ description: 'whether card payments are set up' }),
  is_test: Type.Boolean({ description: 'whether no real money moves' }),
})
const PageView = Type.Object({ go_to: Type.String({ description: 'the page on which the card is saved' }) })

/** More than a page needs; webhooks report the result as well. */
const MAX_REFRESHES_A_MINUTE = 20

/** `GET`, `POST` and `DELETE /console/api/payment-card`. */
export function cardRoutes(gateway: ConsoleParts, { cards, page_payments }: Payments) {
  const chosenAccount = async (viewer: Viewer, reference: string | undefined) => {
    requireWholeAccount(viewer)
    return await requireChosenAccount(gateway.db, viewer, reference)
  }
  const looks = createRate(() => performance.now())
  const view = async (account_id: number): Promise<Static<typeof CardView>> => {
    const card = await cards.of(account_id, looks.take(account_id, MAX_REFRESHES_A_MINUTE).admitted)
    return {
      card: card
        ? { brand: card.brand, last4: card.last4, expires: card.expires, ...time('saved', card.saved_at_ms) }
        : null,
      is_awaited: await cards.isAwaited(account_id),
      can_save: cards.isOffered(),
      is_test: cards.isTest(),
    }
  }
  const response = { 200: CardView, ...FAILURES }
  return new Elysia({ name: 'console-payment-card' })
    .use(viewerCalls(gateway, { reads: 'see_payments', changes: 'pay' }))
    .get(
      '/console/api/payment-card',
      async ({ viewer, query }) => await view((await chosenAccount(viewer, query.account)).id),
      {
        query: CardQuery,
        response,
      },
    )
    .post(
      '/console/api/payment-card',
      async ({ viewer, body }) => {
        const { id: account_id, name: account } = await chosenAccount(viewer, body.account)
        requirePaymentQuota(viewer, account_id, page_payments)
        return { go_to: await cards.begin({ account_id, account }, personOf(viewer)) }
      },
      { body: CardBody, response: { 200: PageView, ...FAILURES } },
    )
    .delete(
      '/console/api/payment-card',
      async ({ viewer, origin, query }) => {
        const { id } = await chosenAccount(viewer, query.account)
        await cards.remove(id, byOf(gateway, { viewer, origin }))
        return await view(id)
      },
      { query: CardQuery, response },
    )
}
