// The console routes of teams: people and invitations, the link of an invitation, and the viewer's accounts.
import { Elysia } from 'elysia'
import type { Gateway } from '../../../src/app/surface/gateway.ts'
import { joinRoutes } from './join.ts'
import { sideRoutes } from './sides.ts'
import { invitationRoutes, limitRoutes, memberRoutes } from './team.ts'

export const teamRoutes = (gateway: Gateway) =>
  new Elysia({ name: 'console-teams' })
    .use(memberRoutes(gateway))
    .use(limitRoutes(gateway))
    .use(invitationRoutes(gateway))
    .use(joinRoutes(gateway))
    .use(sideRoutes(gateway))
