// Routes of the viewer's own name and address. A new address takes effect when the person opens the link that is mailed to it.
import { Elysia } from 'elysia'
import { requireFresh } from '../../../src/access/fresh-sign-in.ts'
import {
  consumeEmailLink,
  makeEmailLink,
  pendingEmail,
  personById,
} from '../../../src/access/mailed-links.ts'
import { personsName, renamePerson } from '../../../src/access/own-name.ts'
import { hashOf } from '../../../src/access/passwords.ts'
import { lockPerson } from '../../../src/access/people.ts'
import { accountOf, type PersonViewer, requirePerson } from '../../../src/access/viewer.ts'
import {
  type ConsoleParts,
  changed,
  FAILURES,
  viewerCalls,
  visitorOf,
} from '../../../src/app/surface/console/calls.ts'
import { notFound, unprocessable } from '../../../src/domain/errors.ts'
import { personsAddress } from '../../../src/domain/mail-address.ts'
import { recordAction } from '../../../src/store/actions.ts'
import type { Tx } from '../../../src/store/db.ts'
import type { PersonRow } from '../../../src/store/schema.ts'
import { canMail, queueMail } from '../../mail/index.ts'
import { LinkToken, MeView, NewEmail, NewName } from './views.ts'

const CONFIRM_PAGE = '/console/confirm-address'

const OWN = { reads: 'change_own_sign_in', changes: 'change_own_sign_in' } as const

/** `GET /console/api/me`; `PUT` changes the name; `POST /console/api/me/email` mails a link to a new address; `/confirm` takes the address over. */
export function meRoutes(gateway: ConsoleParts) {
  const { calls, people } = gateway
  return new Elysia({ name: 'console-me' })
    .use(viewerCalls(gateway, OWN))
    .get(
      '/console/api/me',
      ({ viewer }) => {
        requirePerson(viewer)
        return meView(gateway, viewer)
      },
      { response: { 200: MeView, ...FAILURES } },
    )
    .put(
      '/console/api/me',
      async ({ viewer, origin, body }) => {
        requirePerson(viewer)
        const { person_id } = viewer
        const name = personsName(body.name)
        await changed(gateway, { viewer, origin }, async (tx) => {
          await lockPerson(tx, person_id)
          await renamePerson(tx, { person_id, name, account_id: accountOf(viewer) })
        })
        return meView(gateway, viewer)
      },
      { body: NewName, response: { 200: MeView, ...FAILURES } },
    )
    .post(
      '/console/api/me/email',
      async ({ viewer, origin, body }) => {
        requireFresh(viewer, calls.now())
        if (!canMail(calls.catalogue())) throw noMail()
        const email = personsAddress(body.email)
        people.sessions.countMail(email, visitorOf(origin))
        await changed(gateway, { viewer, origin }, (tx) => sendLink(tx, gateway, { viewer, email }))
        return meView(gateway, viewer)
      },
      { body: NewEmail, response: { 200: MeView, ...FAILURES } },
    )
    .post(
      '/console/api/me/email/confirm',
      async ({ viewer, origin, body }) => {
        requirePerson(viewer)
        await people.sessions.found(visitorOf(origin), () =>
          changed(gateway, { viewer, origin }, (tx) => takeEmail(tx, gateway, { viewer, token: body.token })),
        )
        return meView(gateway, viewer)
      },
      { body: LinkToken, response: { 200: MeView, ...FAILURES } },
    )
}

interface ViewerChange {
  viewer: PersonViewer
}

/** The answer is the same if another person has the address already. */
async function sendLink(
  tx: Tx,
  { calls, people }: ConsoleParts,
  { viewer: { person_id }, email }: ViewerChange & { email: string },
): Promise<void> {
  const now_ms = calls.now()
  await lockPerson(tx, person_id)
  const { account_id } = await requireMe(tx, person_id)
  const { token, expires_at_ms } = await makeEmailLink(
    tx,
    { person_id, email },
    { randomBytes: people.randomBytes, now_ms },
  )
  await queueMail(
    tx,
    {
      purpose: 'email_change',
      to: email,
      account_id,
      fields: {},
      link: { path: `${CONFIRM_PAGE}#${token}`, expires_at_ms },
      request_key: `email-change:${crypto.randomUUID()}`,
    },
    now_ms,
  )
}

async function takeEmail(
  tx: Tx,
  { calls, people }: ConsoleParts,
  { viewer, token }: ViewerChange & { token: string },
): Promise<void> {
  const { person_id } = viewer
  const now_ms = calls.now()
  await lockPerson(tx, person_id)
  const { person, email } = await consumeEmailLink(tx, token, { person_id, now_ms })
  await people.sign_in_events.raise(tx, {
    kind: 'changed',
    person,
    change: 'email',
    new_email: email,
    at_ms: now_ms,
  })
  await recordAction(tx, {
    action: 'person.email_changed',
    account_id: accountOf(viewer),
    before: { email: person.email },
    after: { email },
  })
}

async function meView({ db, calls }: ConsoleParts, { person_id }: PersonViewer) {
  const { name, email, email_verified_at_ms } = await requireMe(db, person_id)
  return {
    name,
    email,
    email_is_verified: email_verified_at_ms !== null,
    pending_email: await pendingEmail(db, person_id, calls.now()),
    has_password: (await hashOf(db, person_id)) !== undefined,
    can_mail: canMail(calls.catalogue()),
  }
}

async function requireMe(db: Parameters<typeof personById>[0], person_id: number): Promise<PersonRow> {
  const person = await personById(db, person_id)
  if (!person) throw notFound('This person was deleted. Sign in again.')
  return person
}

const noMail = () => unprocessable('This gateway sends no mails. Ask the operator to enter your address.')
