// Requests and responses of the console routes of identity providers.
import { Type } from '@sinclair/typebox'
import { TermsView } from '../../../src/app/surface/console/terms.ts'
import { Closed, Nullable, OneOf } from '../../../src/http/schema.ts'
import { TimeFields, time } from '../../../src/http/views.ts'
import type { IdentityRow } from '../../../src/store/schema.ts'
import type { IdentityProvider } from '../settings.ts'

const ProviderName = Type.String({ minLength: 1, maxLength: 40, must: 'the name of an identity provider' })

const ProviderView = Type.Object({ name: Type.String(), title: Type.String() })
export const providerView = ({ name, title }: IdentityProvider) => ({ name, title })

export const ProvidersView = Type.Object({
  providers: Type.Array(ProviderView),
  /** The terms that a new person accepts by continuing. Null if visitors cannot sign up this way, or the operator has no terms. */
  terms: Nullable(TermsView),
  /** The provider of this browser's last sign-in, after a sign-out here: the browser may still be signed in there. */
  left: Nullable(ProviderView),
})

export const Start = Closed({
  provider: ProviderName,
  next: Type.Optional(
    Type.String({
      maxLength: 1_000,
      must: 'a page of the console, such as "/calls"',
      description: 'the page to go to afterwards',
    }),
  ),
  /** The terms that the page showed. */
  terms: Type.Optional(Nullable(TermsView)),
  ref: Type.Optional(Type.String({ pattern: '^[0-9a-z]{1,40}$', must: 'the code of a referral link' })),
})
export const PurposeOfOwn = Closed({
  provider: Start.properties.provider,
  next: Start.properties.next,
  purpose: OneOf(['link', 'confirm']),
})
export const StartView = Type.Object({
  url: Type.String({ description: 'of the provider: the page goes there' }),
})

export const Finish = Closed({
  provider: ProviderName,
  query: Type.String({
    maxLength: 8_192,
    must: 'the query of the address that the provider sent the browser to',
  }),
})
export const FinishView = Type.Object({
  purpose: OneOf(['sign_in', 'link', 'confirm']),
  next: Type.String({ description: 'the page to go to, below /console' }),
})

const IdentityView = Type.Object({
  id: Type.Integer(),
  provider: Type.String(),
  title: Type.String(),
  email: Nullable(Type.String({ description: 'as the provider reported it last' })),
  ...TimeFields('created'),
  ...TimeFields('last_used'),
})
export const IdentitiesView = Type.Object({
  identities: Type.Array(IdentityView),
  providers: Type.Array(ProviderView, { description: 'those that can be linked' }),
})

/** @param title of its provider; undefined if that is no longer configured */
export const identityView = (
  { id, provider, email, created_at_ms, last_used_at_ms }: IdentityRow,
  title: string | undefined,
) => ({
  id,
  provider,
  title: title ?? provider,
  email,
  ...time('created', created_at_ms),
  ...time('last_used', last_used_at_ms),
})

/** An empty request body. */
export const Leaving = Closed({})
export const LeavingView = Type.Object({
  url: Nullable(Type.String({ description: 'the sign-out page of the provider; null if it has none' })),
})

export const UnlinkedView = Type.Object({ unlinked: Type.Literal(true) })
