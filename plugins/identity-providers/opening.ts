// The running part of identity providers, with its place in the form for signing in.
import type { Gateway } from '../../src/app/surface/gateway.ts'
import type { TellChange } from './entering.ts'
import { identitiesOf } from './identities.ts'
import type { SignInSettings } from './settings.ts'
import { createSigningIn, type SigningIn } from './signing-in.ts'

/** The name among the ways to sign in, as the pages have it. */
export const WAY = 'identity_providers'

export function openIdentityProviders(
  gateway: Pick<Gateway, 'calls' | 'db' | 'people'>,
  settings: () => SignInSettings,
): SigningIn {
  gateway.people.sign_in_ways.push({
    name: WAY,
    isOffered: () => settings().providers.length > 0,
    confirms: async (person_id) => {
      const names = settings().providers.map(({ name }) => name)
      return (await identitiesOf(gateway.db, person_id)).some(({ provider }) => names.includes(provider))
    },
  })
  const tellChange: TellChange = (tx, person, change) =>
    gateway.people.sign_in_events.raise(tx, { kind: 'changed', person, change, at_ms: gateway.calls.now() })
  return createSigningIn({ gateway, settings, tellChange })
}
