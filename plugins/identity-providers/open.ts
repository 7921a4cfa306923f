// The running part of identity providers, which adds their buttons to the sign-in form.
import type { Gateway } from '../../src/app/surface/gateway.ts'
import { domainOf } from '../../src/domain/mail-address.ts'
import type { IdentityRow } from '../../src/store/schema.ts'
import { identitiesOf } from './identities.ts'
import { type NotifyChange, placeBy } from './person-of-identity.ts'
import { type IdentityProvider, isOfProvider, type SignInSettings } from './settings.ts'
import { createProviderSignIn, type ProviderSignIn } from './signing-in.ts'

export function openIdentityProviders(
  gateway: Pick<Gateway, 'calls' | 'db' | 'people'>,
  settings: () => SignInSettings,
): ProviderSignIn {
  gateway.people.sign_in_ways.push({
    name: 'identity_providers',
    isOffered: () => settings().providers.length > 0,
    confirms: true,
    async isOf(db, person_id) {
      const rows = await identitiesOf(db, person_id)
      const providers = settings().providers.filter((provider) =>
        rows.some((row) => isOfProvider(row, provider) && hasAllowedDomain(row, provider)),
      )
      for (const provider of providers) if (await placeBy(db, person_id, provider)) return true
      return false
    },
  })
  const notifyChange: NotifyChange = (tx, person, change) =>
    gateway.people.sign_in_events.raise(tx, { kind: 'changed', person, change, at_ms: gateway.calls.now() })
  return createProviderSignIn({ gateway, settings, notifyChange })
}

/** Whether the domain of the identity's last reported address is allowed at its provider. */
const hasAllowedDomain = ({ email }: IdentityRow, { email_domains }: IdentityProvider): boolean =>
  email_domains.length === 0 || email_domains.includes(domainOf(email ?? '').toLowerCase())
