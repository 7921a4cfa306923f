// Routes of the people and invitations of an account, for its owners and the staff.
import type { Static } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { BUDGET_NAMES, type BudgetChanges } from '../../../src/access/budgets.ts'
import { requireFresh } from '../../../src/access/fresh-sign-in.ts'
import { peopleQueries } from '../../../src/access/people-queries.ts'
import {
  changeRole,
  type KeyHandling,
  limitMember,
  removeMember,
  type TeamChange,
} from '../../../src/access/team.ts'
import type { Viewer } from '../../../src/access/viewer.ts'
import { consoleList } from '../../../src/app/list/pages.ts'
import {
  changed,
  FAILURES,
  type Requester,
  siteSettings,
  viewerCalls,
} from '../../../src/app/surface/console/calls.ts'
import { readUsd } from '../../../src/app/surface/console/fields.ts'
import { requireChosenAccount } from '../../../src/app/surface/console/references.ts'
import { ownOrigins } from '../../../src/app/surface/console/site.ts'
import type { Gateway } from '../../../src/app/surface/gateway.ts'
import { BUDGET_PERIODS } from '../../../src/domain/budgets.ts'
import { invalidRequest } from '../../../src/domain/errors.ts'
import { time } from '../../../src/http/views.ts'
import type { Db, Tx } from '../../../src/store/db.ts'
import type { PersonRow } from '../../../src/store/schema.ts'
import { defined } from '../../../src/utilities/defined.ts'
import { canMail } from '../../mail/index.ts'
import { invitePerson, joinUrl, withdrawInvitation } from '../invite.ts'
import { invitation_list, member_list } from '../list.ts'
import {
  AccountQuery,
  DoneView,
  InvitationParams,
  InvitedView,
  Limits,
  NewInvitation,
  PersonParams,
  Removal,
  RoleChange,
} from './views.ts'

const done = { done: true as const }

/** `GET /console/api/team` and its CSV file; `PATCH /console/api/team/{person}` changes the role; `POST …/remove` removes the person. */
export function memberRoutes(gateway: Gateway) {
  const list = consoleList(gateway, member_list)
  const changePerson = personChanger(gateway)
  return new Elysia({ name: 'console-team' })
    .use(viewerCalls(gateway, { reads: 'see_team', changes: 'manage_team' }))
    .get('/console/api/team', ({ viewer, query }) => list.page(viewer, query), list.page_route)
    .get('/console/api/team.csv', ({ viewer, query }) => list.file(viewer, query), list.file_route)
    .patch(
      '/console/api/team/:person',
      async ({ viewer, origin, params, body }) => {
        await changePerson({ viewer, origin }, body, (tx, account_id, change) =>
          changeRole(tx, { account_id, person_id: params.person }, body.role, change),
        )
        return done
      },
      { params: PersonParams, body: RoleChange, response: { 200: DoneView, ...FAILURES } },
    )
    .post(
      '/console/api/team/:person/remove',
      async ({ viewer, origin, params, body }) => {
        await changePerson({ viewer, origin }, body, (tx, account_id, change) =>
          removeMember(tx, { account_id, person_id: params.person }, change),
        )
        return done
      },
      { params: PersonParams, body: Removal, response: { 200: DoneView, ...FAILURES } },
    )
}

/** Changes a person in a locked account. @throws GatewayError permission_denied without a fresh sign-in; invalid_request; not_found */
const personChanger =
  (gateway: Gateway) =>
  async (
    console_request: Requester,
    body: Static<typeof Removal>,
    work: (tx: Tx, account_id: number, change: TeamChange) => Promise<unknown>,
  ): Promise<void> => {
    const { viewer } = console_request
    const now_ms = gateway.calls.now()
    requireFresh(viewer, now_ms)
    const { id: account_id } = await requireChosenAccount(gateway.db, viewer, body.account)
    const change = changeOf(viewer, body, now_ms)
    await changed(gateway, console_request, async (tx) => {
      await tx.lock(account_id)
      await work(tx, account_id, change)
    })
  }

/** `PUT /console/api/team/{person}/limits`: the spend limits of all keys of a person together. */
export function limitRoutes(gateway: Gateway) {
  const { db } = gateway
  const { now } = gateway.calls
  return new Elysia({ name: 'console-team-limits' })
    .use(viewerCalls(gateway, { changes: 'manage_team' }))
    .put(
      '/console/api/team/:person/limits',
      async ({ viewer, origin, params, body }) => {
        const { id: account_id } = await requireChosenAccount(db, viewer, body.account)
        const limits = readLimits(body)
        await changed(gateway, { viewer, origin }, async (tx) => {
          await tx.lock(account_id)
          await limitMember(tx, { account_id, person_id: params.person }, limits, now())
        })
        return done
      },
      { params: PersonParams, body: Limits, response: { 200: DoneView, ...FAILURES } },
    )
}

/** @throws GatewayError invalid_request */
const readLimits = (body: Static<typeof Limits>): BudgetChanges =>
  defined(
    Object.fromEntries(
      BUDGET_PERIODS.map((period) => {
        const name = BUDGET_NAMES[period]
        const text = body[name]
        return [period, typeof text === 'string' ? readUsd(name, text) : text]
      }),
    ),
  )

/** @throws GatewayError invalid_request if the keys are to be both revoked and handed over */
function changeOf(viewer: Viewer, body: Static<typeof Removal>, now_ms: number): TeamChange {
  return {
    keys: keyHandlingOf(body),
    may_end_owners: viewer.side === 'operator' && body.without_owner === true,
    now_ms,
  }
}

function keyHandlingOf({ keys, keys_to }: Static<typeof Removal>): KeyHandling | undefined {
  if (keys !== undefined && keys_to !== undefined)
    throw invalidRequest('keys_to: leave it out if keys are revoked.', { param: 'keys_to' })
  if (keys_to !== undefined) return { to_person_id: keys_to }
  return keys === undefined ? undefined : { revoke: true }
}

/** `GET` and `POST /console/api/team-invitations`, `DELETE …/{id}`. */
export function invitationRoutes(gateway: Gateway) {
  const { db } = gateway
  const { now, catalogue } = gateway.calls
  const { randomBytes } = gateway.people
  const list = consoleList(gateway, invitation_list)
  return new Elysia({ name: 'console-team-invitations' })
    .use(viewerCalls(gateway, { reads: 'see_team', changes: 'manage_team' }))
    .get('/console/api/team-invitations', ({ viewer, query }) => list.page(viewer, query), list.page_route)
    .get(
      '/console/api/team-invitations.csv',
      ({ viewer, query }) => list.file(viewer, query),
      list.file_route,
    )
    .post(
      '/console/api/team-invitations',
      async ({ viewer, origin, body, request }) => {
        requireFresh(viewer, now())
        const account = await requireChosenAccount(db, viewer, body.account)
        const is_staff = viewer.side === 'operator'
        const has_mail = canMail(catalogue()) && !(is_staff && body.as_link === true)
        const inviter = is_staff ? undefined : await nameOf(db, viewer.person_id)
        const invited = await changed(gateway, { viewer, origin }, async (tx) => {
          await tx.lock(account.id)
          return await invitePerson(
            tx,
            {
              account,
              email: body.email,
              role: body.role,
              has_mail,
              inviter,
              invited_by: viewer.person_id,
              is_counted: !is_staff,
            },
            { randomBytes, now_ms: now() },
          )
        })
        const { email, token, expires_at_ms } = invited
        const [site = ''] = ownOrigins(request, siteSettings(gateway))
        const base = catalogue().server.public_url ?? site
        const url = token === undefined ? null : joinUrl(base, token)
        return { email, url, ...time('expires', expires_at_ms) }
      },
      { body: NewInvitation, response: { 200: InvitedView, ...FAILURES } },
    )
    .delete(
      '/console/api/team-invitations/:id',
      async ({ viewer, origin, params, query }) => {
        const { id: account_id } = await requireChosenAccount(db, viewer, query.account)
        await changed(gateway, { viewer, origin }, async (tx) => {
          await tx.lock(account_id)
          await withdrawInvitation(tx, account_id, params.id)
        })
        return done
      },
      { params: InvitationParams, query: AccountQuery, response: { 200: DoneView, ...FAILURES } },
    )
}

async function nameOf(db: Db, person_id: number): Promise<string | undefined> {
  const person: PersonRow | undefined = await peopleQueries(db).byId.get({ id: person_id })
  return person?.name
}
