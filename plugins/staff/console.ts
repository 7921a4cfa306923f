// Routes of the staff: the list for all of them; changes only for operators with a fresh sign-in.
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { requireFresh } from '../../src/access/fresh-sign-in.ts'
import { personOnSide } from '../../src/access/people.ts'
import { sessionRequired } from '../../src/access/session-rows.ts'
import { linkAt } from '../../src/app/command-line/console-link.ts'
import { rowFor } from '../../src/app/list/columns.ts'
import { consoleFields, consoleList } from '../../src/app/list/pages.ts'
import {
  type ConsoleParts,
  changed,
  FAILURES,
  operatorCalls,
  type Requester,
  siteSettings,
} from '../../src/app/surface/console/calls.ts'
import { ownOrigins } from '../../src/app/surface/console/site.ts'
import { WholeNumber } from '../../src/http/parameters.ts'
import { Closed, Nullable, OneOf } from '../../src/http/schema.ts'
import { NullableTimeFields, time } from '../../src/http/views.ts'
import type { Tx } from '../../src/store/db.ts'
import { canMail } from '../mail/index.ts'
import { inviteStaff, type StaffLink } from './invite.ts'
import { type StaffListRow, staff_list } from './list.ts'
import {
  addStaff,
  changeStaff,
  disableStaff,
  enableStaff,
  removeStaff,
  requireStaff,
  STAFF_ROLES,
} from './people.ts'
import type { StaffPerson } from './rows.ts'

const PersonView = Closed(consoleFields(staff_list))
const Name = Type.String({ maxLength: 400, must: 'the name of a person' })
const Role = OneOf(STAFF_ROLES)
const AsLink = Type.Optional(
  Type.Boolean({ description: 'answers with the link, also where it could be mailed' }),
)
const PersonParams = Type.Object({ id: WholeNumber({ minimum: 1 }, 'the number of a person') })

const NewStaffBody = Closed({
  name: Name,
  email: Type.String({ maxLength: 400, must: 'an email address' }),
  role: Role,
  as_link: AsLink,
})
const StaffChanges = Closed({ name: Type.Optional(Name), role: Type.Optional(Role) })

const LinkFields = {
  url: Nullable(
    Type.String({ description: 'works once; shown only here; null if it was mailed, or none is needed' }),
  ),
  mailed_to: Nullable(Type.String({ description: 'the address that it is mailed to; null if it was not' })),
  ...NullableTimeFields('expires'),
}
const AddedView = Closed({
  person: PersonView,
  was_here: Type.Boolean({ description: 'they had signed in here before, and keep their password' }),
  ...LinkFields,
})
const ChangedView = Closed({ person: PersonView })
const LinkView = Closed({ person: PersonView, ...LinkFields })
const RemovedView = Closed({ removed: Type.Literal(true) })

/** `/console/api/staff`: everybody with the right to read all may list it, operators change it. */
export function staffRoutes(gateway: ConsoleParts) {
  const list = consoleList(gateway, staff_list)
  return new Elysia({ name: 'console-staff' })
    .use(operatorCalls(gateway))
    .get('/console/api/staff', ({ viewer, query }) => list.page(viewer, query), list.page_route)
    .get('/console/api/staff.csv', ({ viewer, query }) => list.file(viewer, query), list.file_route)
    .post(
      '/console/api/staff',
      ({ viewer, origin, request, body: { as_link, ...added } }) =>
        changeWhileFresh(gateway, { viewer, origin }, async (tx, now_ms) => {
          const { person, was_here } = await addStaff(tx, added, now_ms)
          const link = person.has_password ? undefined : await linkFor(gateway, tx, person, as_link)
          return { person: personView(person), was_here, ...linkView(gateway, request, link) }
        }),
      { body: NewStaffBody, response: { 200: AddedView, ...FAILURES } },
    )
    .patch(
      '/console/api/staff/:id',
      ({ viewer, origin, params, body }) =>
        changeWhileFresh(gateway, { viewer, origin }, async (tx) => ({
          person: personView(await changeStaff(tx, String(params.id), body)),
        })),
      { params: PersonParams, body: StaffChanges, response: { 200: ChangedView, ...FAILURES } },
    )
    .delete(
      '/console/api/staff/:id',
      ({ viewer, origin, params }) =>
        changeWhileFresh(gateway, { viewer, origin }, async (tx) => {
          await removeStaff(tx, String(params.id))
          return { removed: true as const }
        }),
      { params: PersonParams, response: { 200: RemovedView, ...FAILURES } },
    )
    .use(signInRoutes(gateway))
}

/** Routes that disable and enable a person's sign-in, and create a new link. */
const signInRoutes = (gateway: ConsoleParts) =>
  new Elysia({ name: 'console-staff: sign-in' })
    .use(operatorCalls(gateway))
    .post(
      '/console/api/staff/:id/disable',
      ({ viewer, origin, params }) =>
        changeWhileFresh(gateway, { viewer, origin }, async (tx, now_ms) => ({
          person: personView(await disableStaff(tx, String(params.id), now_ms)),
        })),
      { params: PersonParams, response: { 200: ChangedView, ...FAILURES } },
    )
    .post(
      '/console/api/staff/:id/enable',
      ({ viewer, origin, params }) =>
        changeWhileFresh(gateway, { viewer, origin }, async (tx) => ({
          person: personView(await enableStaff(tx, String(params.id))),
        })),
      { params: PersonParams, response: { 200: ChangedView, ...FAILURES } },
    )
    .post(
      '/console/api/staff/:id/link',
      ({ viewer, origin, request, params, body }) =>
        changeWhileFresh(gateway, { viewer, origin }, async (tx) => {
          await tx.lock(null)
          const person = await requireStaff(tx, String(params.id))
          const link = await linkFor(gateway, tx, person, body.as_link)
          return { person: personView(person), ...linkView(gateway, request, link) }
        }),
      {
        params: PersonParams,
        body: Closed({ as_link: AsLink }),
        response: { 200: LinkView, ...FAILURES },
      },
    )

/** Runs a change in a transaction that has locked the operator. @throws GatewayError as `requireFresh`, and what `work` throws */
function changeWhileFresh<T>(
  gateway: ConsoleParts,
  console_request: Requester,
  work: (tx: Tx, now_ms: number) => Promise<T>,
): Promise<T> {
  const now_ms = gateway.calls.now()
  const { viewer } = console_request
  requireFresh(viewer, now_ms)
  return changed(gateway, console_request, async (tx) => {
    await tx.lock(null)
    // Checked again under the lock: another operator may have changed the viewer's role meanwhile.
    const { person_id } = viewer
    const role = (await personOnSide(tx, { person_id, account_id: null }))?.role
    if (role !== 'operator') throw sessionRequired()
    return await work(tx, now_ms)
  })
}

const linkFor = (
  { calls: { catalogue, now }, people: { randomBytes } }: ConsoleParts,
  tx: Tx,
  person: StaffPerson,
  as_link = false,
): Promise<StaffLink> =>
  inviteStaff(tx, person, { randomBytes, now_ms: now(), has_mail: !as_link && canMail(catalogue()) })

function linkView(gateway: ConsoleParts, request: Request, link: StaffLink | undefined) {
  const [site = ''] = ownOrigins(request, siteSettings(gateway))
  const base = gateway.calls.catalogue().server.public_url ?? site
  const has_url = link !== undefined && link.mailed_to === undefined
  return {
    url: has_url ? linkAt(base, 'invitation', link).url : null,
    mailed_to: link?.mailed_to ?? null,
    ...time('expires', link?.expires_at_ms ?? null),
  }
}

function personView(person: StaffPerson): StaffListRow {
  const row: object = rowFor(staff_list.columns, 'operator', person)
  return row as StaffListRow
}
