// Console routes of referrals: an account's link and earnings, and the staff's list.
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { accountOf } from '../../src/access/viewer.ts'
import { consoleList } from '../../src/app/list/pages.ts'
import { FAILURES, operatorCalls, viewerCalls } from '../../src/app/surface/console/calls.ts'
import type { Gateway } from '../../src/app/surface/gateway.ts'
import { notFound } from '../../src/domain/errors.ts'
import { Closed } from '../../src/http/schema.ts'
import { MoneyFields, money, TimeFields, time } from '../../src/http/views.ts'
import { withoutTrailing } from '../../src/utilities/text-ends.ts'
import { referralCodeOf } from './binding.ts'
import { referral_list } from './list.ts'
import { listReferrals } from './listing.ts'
import type { SharingParts } from './sharing.ts'

const ReferralView = Closed({
  url: Type.String({ description: 'the link to pass on' }),
  per_cent: Type.Number(),
  months: Type.Integer(),
  signed_up: Type.Integer(),
  ...MoneyFields('earned'),
  referrals: Type.Array(
    Closed({
      id: Type.Integer(),
      ...TimeFields('signed_up'),
      payments: Type.Integer(),
      ...MoneyFields('earned'),
    }),
    { description: 'the newest 100, without names' },
  ),
})

const MAX_COUNTED = 10_000
const MAX_SHOWN = 100

/** `GET /console/api/referral`; `GET /console/api/referrals` and its CSV. */
export function referralConsoleRoutes(gateway: Gateway, parts: SharingParts) {
  const list = consoleList(gateway, referral_list)
  return new Elysia({ name: 'console-referrals' }).use(ownRoute(gateway, parts)).use(
    new Elysia({ name: 'console-referral-list' })
      .use(operatorCalls(gateway))
      .get('/console/api/referrals', ({ viewer, query }) => list.page(viewer, query), list.page_route)
      .get('/console/api/referrals.csv', ({ viewer, query }) => list.file(viewer, query), list.file_route),
  )
}

const ownRoute = (gateway: Gateway, { settings }: SharingParts) =>
  new Elysia({ name: 'console-referral' }).use(viewerCalls(gateway, { reads: 'see_payments' })).get(
    '/console/api/referral',
    async ({ viewer }) => {
      const account_id = accountOf(viewer)
      const { per_mille, months } = settings()
      if (account_id === undefined || per_mille === 0)
        throw notFound('There are no referrals here. Ask the operator of this gateway.')
      const { now, catalogue } = gateway.calls
      const code = await referralCodeOf(gateway.db, account_id, {
        randomBytes: gateway.people.randomBytes,
        now_ms: now(),
      })
      const { rows } = await listReferrals(gateway.db, { referrer_id: account_id }, { limit: MAX_COUNTED })
      return {
        url: `${withoutTrailing(catalogue().server.public_url ?? '', '/')}/console/sign-up?ref=${code}`,
        per_cent: per_mille / 10,
        months,
        signed_up: rows.length,
        ...money(
          'earned',
          rows.reduce((sum, { earned_nanos }) => sum + earned_nanos, 0),
        ),
        referrals: rows.slice(0, MAX_SHOWN).map(({ id, created_at_ms, payments, earned_nanos }) => ({
          id,
          ...time('signed_up', created_at_ms),
          payments,
          ...money('earned', earned_nanos),
        })),
      }
    },
    { response: { 200: ReferralView, ...FAILURES } },
  )
