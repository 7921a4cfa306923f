// The running part of identity providers, with its place in the form for signing in.
import type { Gateway } from '../../src/app/surface/gateway.ts'
import { domainOf } from '../../src/domain/mail-address.ts'
import type { IdentityRow } from '../../src/store/schema.ts'
import { placeBy, type TellChange } from './entering.ts'
import { identitiesOf } from './identities.ts'
import { type IdentityProvider, isOfProvider, type SignInSettings } from './settings.ts'
import { createSigningIn, type SigningIn } from './signing-in.ts'

export function openIdentityProviders(
  gateway: Pick<Gateway, 'calls' | 'db' | 'people'>,
  settings: () => SignInSettings,
): SigningIn {
  gateway.people.sign_in_ways.push({
    name: 'identity_providers',
    isOffered: () => settings().providers.length > 0,
    confirms: true,
    async isOf(db, person_id) {
      const rows = await identitiesOf(db, person_id)
      const providers = settings().providers.filter((provider) =>
        rows.some((row) => isOfProvider(row, provider) && mayBeAllowed(row, provider)),
      )
      for (const provider of providers) if (await placeBy(db, person_id, provider)) return true
      return false
    },
  })
  const tellChange: TellChange = (tx, person, change) =>
    gateway.people.sign_in_events.raise(tx, { kind: 'changed', person, change, at_ms: gateway.calls.now() })
  return createSigningIn({ gateway, settings, tellChange })
}

/** Reports whether the address that a provider reported last is of a domain that it may let in. */
const mayBeAllowed = ({ email }: IdentityRow, { email_domains }: IdentityProvider): boolean =>
  email_domains.length === 0 || email_domains.includes(domainOf(email ?? '').toLowerCase())
