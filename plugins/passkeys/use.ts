// The use of a passkey as a proof: uses up its challenge, verifies its signature, and stores its new counter.
import type { AuthenticationResponseJSON } from '@simplewebauthn/server'
import { type Entrance, entranceOf, lockPerson } from '../../src/access/people.ts'
import { peopleQueries } from '../../src/access/people-queries.ts'
import { type ConsoleParts, siteSettings } from '../../src/app/surface/console/calls.ts'
import type { CallOrigin } from '../../src/calls/life/call.ts'
import { GatewayError, permissionDenied, unprocessable } from '../../src/domain/errors.ts'
import { recordAction } from '../../src/store/actions.ts'
import type { Tx } from '../../src/store/db.ts'
import type { PasskeyRow, PersonRow } from '../../src/store/schema.ts'
import { verifyUse, wrongPasskey } from './ceremony.ts'
import { type ChallengeFor, challengeToken, takeChallenge } from './challenges.ts'
import { passkeyByCredential, usePasskey } from './rows.ts'
import { type PasskeySite, passkeySite } from './site.ts'

/** @throws GatewayError unprocessable where browsers do not support passkeys */
export function requireSite({ calls: { catalogue } }: Pick<ConsoleParts, 'calls'>): PasskeySite {
  const site = passkeySite(catalogue())
  if (!site)
    throw unprocessable(
      'Browsers have passkeys only at an https:// address with a name. Set public_url in [server] to such an address.',
    )
  return site
}

/** The error code for a passkey whose counter did not increase. */
const COPIED = 'passkey_copied'

/**
 * Verifies a passkey. The returned `decide` records the use and finds the person; call it in the transaction that the passkey authorizes.
 *
 * @throws GatewayError unauthenticated for an invalid answer; invalid_request without its challenge
 */
export async function verifyPasskey(
  gateway: ConsoleParts,
  response: AuthenticationResponseJSON,
  { of, request }: { of: ChallengeFor; request: Request },
): Promise<{ passkey: PasskeyRow; decide: (tx: Tx) => Promise<Entrance> }> {
  const { db, calls } = gateway
  const site = requireSite(gateway)
  const token = challengeToken(request, siteSettings(gateway))
  const challenge = await takeChallenge(db, token, of, calls.now())
  const passkey = await passkeyByCredential(db, Buffer.from(response.id, 'base64url'))
  if (!passkey) throw wrongPasskey()
  const counter = await verifyUse(response, passkey, { site, challenge })
  return { passkey, decide: (tx) => recordUse(tx, passkey, { counter, now_ms: calls.now() }) }
}

async function recordUse(
  tx: Tx,
  { id, person_id, credential_id }: PasskeyRow,
  { counter, now_ms }: { counter: number; now_ms: number },
): Promise<Entrance> {
  await lockPerson(tx, person_id)
  const entering = await entranceOf(tx, person_id)
  if (!entering) throw wrongPasskey()
  if (await usePasskey(tx, { id, counter, now_ms })) return entering
  throw (await passkeyByCredential(tx, credential_id)) ? copied() : wrongPasskey()
}

/** Tells the person if their passkey seems to be copied, and rethrows. @param thrown the error that refused the passkey */
export async function reportIfCopied(
  { db, calls, people }: ConsoleParts,
  { person_id, name }: PasskeyRow,
  { thrown, origin: { request_id } }: { thrown: unknown; origin: CallOrigin },
): Promise<never> {
  if (!(thrown instanceof GatewayError) || thrown.code !== COPIED) throw thrown
  const now_ms = calls.now()
  await db.begin(
    async (tx) => {
      await lockPerson(tx, person_id)
      const person: PersonRow | undefined = await peopleQueries(tx).byId.get({ id: person_id })
      if (!person) return
      await people.sign_in_events.raise(tx, {
        kind: 'changed',
        person,
        change: 'passkey_copied',
        at_ms: now_ms,
      })
      await recordAction(tx, {
        action: 'passkey.refused',
        account_id: person.account_id ?? undefined,
        subject: name,
      })
    },
    { by: { actor: { kind: 'system' }, now_ms, request_id } },
  )
  throw thrown
}

const copied = () =>
  permissionDenied(
    'This passkey was used elsewhere since, as if it had been copied. Sign in another way, remove it and add a new one.',
    { code: COPIED },
  )
