// Route of the viewer's own spend limits in the account, which an owner or an operator sets.
import { Elysia } from 'elysia'
import { budgetsOfPerson } from '../../../src/access/budgets.ts'
import { budgetsView, SpendLimitsView } from '../../../src/access/limits-view.ts'
import { FAILURES, viewerCalls } from '../../../src/app/surface/console/calls.ts'
import type { Gateway } from '../../../src/app/surface/gateway.ts'
import { Closed } from '../../../src/http/schema.ts'

const OwnLimitsView = Closed({ spend_limits: SpendLimitsView })

/** `GET /console/api/session/limits`: the limits of all keys of the viewer together; empty for staff and for a session by key. */
export const ownLimitRoutes = (gateway: Gateway) =>
  new Elysia({ name: 'console-own-limits' }).use(viewerCalls(gateway)).get(
    '/console/api/session/limits',
    async ({ viewer }) => {
      const budgets = viewer.side === 'account' ? await budgetsOfPerson(gateway.db, viewer) : []
      return { spend_limits: budgetsView(budgets, gateway.calls.now()) }
    },
    { response: { 200: OwnLimitsView, ...FAILURES } },
  )
