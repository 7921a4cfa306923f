// The viewer's identities: linking another one, and unlinking one unless it is the last way to sign in.

import { lockPerson } from '../../src/access/people.ts'
import { peopleQueries } from '../../src/access/people-queries.ts'
import { requireSignInWay, type SignInWay } from '../../src/access/sign-in-ways.ts'
import { accountOf, type PersonViewer, type Viewer } from '../../src/access/viewer.ts'
import { conflict, notFound, permissionDenied } from '../../src/domain/errors.ts'
import { recordAction } from '../../src/store/actions.ts'
import type { Tx } from '../../src/store/db.ts'
import type { PersonRow } from '../../src/store/schema.ts'
import { findIdentity, identityById, insertIdentity, removeIdentity } from './identities.ts'
import { recordLinked, requireAllowedDomain, requirePlace } from './person-of-identity.ts'
import { type IdentityProvider, isFor } from './settings.ts'
import type { ProvedSignIn, ProviderSignIn } from './signing-in.ts'

/** @throws GatewayError permission_denied for a provider that does not sign in people of this side */
export function requireForSide(provider: IdentityProvider, { side }: Viewer): void {
  if (!isFor(provider, side === 'operator' ? 'staff' : 'accounts'))
    throw permissionDenied(
      `${provider.title} is not a way to sign in for you here. Choose another provider.`,
      {
        code: 'identity_not_for_you',
      },
    )
}

interface Linking {
  viewer: PersonViewer
  proved: ProvedSignIn
  now_ms: number
  own: Pick<ProviderSignIn, 'use' | 'notifyChange'>
}

/** Links an identity unless it is linked already. @throws GatewayError conflict for another person's; as `requirePlace`, `requireAllowedDomain` */
export async function linkIdentity(tx: Tx, { viewer, proved, now_ms, own }: Linking): Promise<void> {
  const { person_id } = viewer
  const { provider, identity } = proved
  await lockPerson(tx, person_id)
  await own.use(tx, proved)
  const person = await requirePerson(tx, person_id)
  const made = await insertIdentity(tx, identity, { person_id, provider: provider.name, now_ms })
  if (made) {
    // An identity that could not sign in is not linked.
    await requirePlace(tx, person_id, provider)
    requireAllowedDomain(identity, provider)
    const place = { person, account_id: accountOf(viewer) ?? null }
    await recordLinked(tx, place, { provider: provider.name, email: identity.email })
    return await own.notifyChange(tx, person, 'identity')
  }
  if ((await findIdentity(tx, identity))?.person_id !== person_id)
    throw conflict(
      `This identity signs in another person here. Sign in with ${provider.title} as them and unlink it first, or choose another one.`,
      { code: 'identity_taken' },
    )
}

/**
 * Unlinks an identity of the viewer, and ends the sessions that it opened except the current one.
 *
 * @throws GatewayError not_found for an identity of another person; conflict for the last way to sign in
 */
export async function unlinkIdentity(
  tx: Tx,
  id: number,
  { viewer, own, ways }: Pick<Linking, 'viewer' | 'own'> & { ways: readonly SignInWay[] },
): Promise<void> {
  const { person_id, session_id } = viewer
  await lockPerson(tx, person_id)
  const person = await requirePerson(tx, person_id)
  const row = await identityById(tx, id)
  if (row?.person_id !== person_id) throw notFound('Identity not found. It may be unlinked already.')
  await removeIdentity(tx, row, session_id)
  await requireSignInWay(tx, ways, person_id)
  const { provider, email } = row
  await recordAction(tx, {
    action: 'identity.unlinked',
    account_id: accountOf(viewer),
    subject: person.email ?? person.name,
    before: { provider, email },
  })
  await own.notifyChange(tx, person, 'identity_removed')
}

async function requirePerson(tx: Tx, person_id: number): Promise<PersonRow> {
  const person = await peopleQueries(tx).byId.get({ id: person_id })
  if (!person) throw notFound('This person was deleted. Sign in again.')
  return person
}
