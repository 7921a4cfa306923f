// Routes of the viewer's passkeys: the list, and adding, renaming and removing one.
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { requireFresh } from '../../src/access/fresh-sign-in.ts'
import { personsName } from '../../src/access/own-name.ts'
import { lockPerson } from '../../src/access/people.ts'
import { peopleQueries } from '../../src/access/people-queries.ts'
import { requireSignInWay } from '../../src/access/sign-in-ways.ts'
import { accountOf, type PersonViewer, requirePerson, type Viewer } from '../../src/access/viewer.ts'
import {
  type ConsoleParts,
  changed,
  FAILURES,
  siteSettings,
  viewerCalls,
} from '../../src/app/surface/console/calls.ts'
import { cookieForm } from '../../src/app/surface/console/site.ts'
import { brandName } from '../../src/domain/brand.ts'
import { notFound } from '../../src/domain/errors.ts'
import { setCookie } from '../../src/http/cookies.ts'
import { WholeNumber } from '../../src/http/parameters.ts'
import { recordAction } from '../../src/store/actions.ts'
import type { Db, Tx } from '../../src/store/db.ts'
import type { PersonRow } from '../../src/store/schema.ts'
import { registrationOptions, verifyRegistration } from './ceremony.ts'
import {
  CHALLENGE_LASTS_MS,
  challengeCookie,
  challengeToken,
  makeChallenge,
  takeChallenge,
} from './challenges.ts'
import { addPasskey, passkeysOf, removePasskey, renamePasskey } from './rows.ts'
import { passkeySite } from './site.ts'
import { requireSite } from './use.ts'
import { AddingView, NewPasskeyBody, PasskeysView, passkeyView, RenamedPasskey } from './views.ts'

const OWN = { reads: 'change_own_sign_in', changes: 'change_own_sign_in' } as const
const PasskeyParams = Type.Object({ id: WholeNumber({ minimum: 1 }, 'the number of a passkey') })

/** `GET /console/api/passkeys`, `PATCH` and `DELETE …/:id`. */
export function ownPasskeyRoutes(gateway: ConsoleParts) {
  const { calls } = gateway
  return new Elysia({ name: 'console-passkeys-own' })
    .use(viewerCalls(gateway, OWN))
    .get('/console/api/passkeys', ({ viewer }) => listOf(gateway, viewer), {
      response: { 200: PasskeysView, ...FAILURES },
    })
    .patch(
      '/console/api/passkeys/:id',
      async ({ viewer, origin, params: { id }, body }) => {
        requirePerson(viewer)
        const { person_id } = viewer
        const name = personsName(body.name)
        await changed(gateway, { viewer, origin }, async (tx) => {
          await lockPerson(tx, person_id)
          await renamePasskey(tx, { id, person_id, name })
          const account_id = accountOf(viewer)
          await recordAction(tx, { action: 'passkey.renamed', account_id, subject: name })
        })
        return listOf(gateway, viewer)
      },
      { params: PasskeyParams, body: RenamedPasskey, response: { 200: PasskeysView, ...FAILURES } },
    )
    .delete(
      '/console/api/passkeys/:id',
      async ({ viewer, origin, params: { id } }) => {
        requireFresh(viewer, calls.now())
        const { person_id } = viewer
        await changed(gateway, { viewer, origin }, async (tx) => {
          await lockPerson(tx, person_id)
          const { name } = await removePasskey(tx, { id, person_id })
          await requireSignInWay(tx, gateway.people.sign_in_ways, person_id)
          await reportChange(tx, gateway, { viewer, change: 'passkey_removed', name })
        })
        return listOf(gateway, viewer)
      },
      { params: PasskeyParams, response: { 200: PasskeysView, ...FAILURES } },
    )
}

/** `POST /console/api/passkeys/begin`: the options for the browser; `POST /console/api/passkeys`: adds the new passkey. */
export function addingRoutes(gateway: ConsoleParts) {
  const { db, calls, people } = gateway
  const { randomBytes } = people
  return new Elysia({ name: 'console-passkeys-adding' })
    .use(viewerCalls(gateway, OWN))
    .post(
      '/console/api/passkeys/begin',
      async ({ viewer, request, set }) => {
        requireFresh(viewer, calls.now())
        const site = requireSite(gateway)
        const { person_id, session_id } = viewer
        const form = cookieForm(request, siteSettings(gateway))
        const [person, known] = [await requireMe(db, person_id), await passkeysOf(db, person_id)]
        const of = { purpose: 'add', session_id } as const
        const { challenge, token } = await makeChallenge(db, of, { randomBytes, now_ms: calls.now() })
        set.headers['set-cookie'] = setCookie(challengeCookie(form), token, CHALLENGE_LASTS_MS / 1_000)
        const name = brandName(calls.catalogue().brand)
        return { options: await registrationOptions({ ...site, name }, person, { known, challenge }) }
      },
      { response: { 200: AddingView, ...FAILURES } },
    )
    .post(
      '/console/api/passkeys',
      async ({ viewer, request, origin, body }) => {
        requireFresh(viewer, calls.now())
        const { person_id, session_id } = viewer
        const site = requireSite(gateway)
        const name = personsName(body.name)
        const token = challengeToken(request, siteSettings(gateway))
        const of = { purpose: 'add', session_id } as const
        const challenge = await takeChallenge(db, token, of, calls.now())
        const made = { ...(await verifyRegistration(body.response, { site, challenge })), person_id, name }
        await changed(gateway, { viewer, origin }, async (tx) => {
          await lockPerson(tx, person_id)
          await addPasskey(tx, made, calls.now())
          await reportChange(tx, gateway, { viewer, change: 'passkey', name })
        })
        return listOf(gateway, viewer)
      },
      { body: NewPasskeyBody, response: { 200: PasskeysView, ...FAILURES } },
    )
}

async function listOf({ db, calls: { catalogue } }: ConsoleParts, viewer: Viewer) {
  requirePerson(viewer)
  return {
    passkeys: (await passkeysOf(db, viewer.person_id)).map(passkeyView),
    offered: passkeySite(catalogue()) !== undefined,
  }
}

async function reportChange(
  tx: Tx,
  { calls, people }: ConsoleParts,
  { viewer, change, name }: { viewer: PersonViewer; change: 'passkey' | 'passkey_removed'; name: string },
): Promise<void> {
  const person = await requireMe(tx, viewer.person_id)
  await people.sign_in_events.raise(tx, { kind: 'changed', person, change, at_ms: calls.now() })
  const action = change === 'passkey' ? 'passkey.added' : 'passkey.removed'
  await recordAction(tx, { action, account_id: accountOf(viewer), subject: name })
}

async function requireMe(db: Db, id: number): Promise<PersonRow> {
  const person: PersonRow | undefined = await peopleQueries(db).byId.get({ id })
  if (!person) throw notFound('This person was deleted. Sign in again.')
  return person
}
