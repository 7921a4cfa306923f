// Tenants of Microsoft: whose token one address of several tenants may answer with.
import { Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import type { Claims } from './claims.ts'

/** Names in the place of a tenant: https://learn.microsoft.com/entra/identity-platform/v2-protocols-oidc#find-your-apps-openid-configuration-document-uri */
const OF_SEVERAL = ['common', 'organizations', 'consumers']
const HOST = 'login.microsoftonline.com'
/** The tenant of all personal accounts: https://learn.microsoft.com/entra/identity-platform/id-token-claims-reference */
const PERSONAL = '9188040d-6c67-4c5b-b112-36a304b66dad'
const TENANT = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

const namedIn = (issuer: string): string => URL.parse(issuer)?.pathname.split('/')[1] ?? ''

/**
 * Reports whether an address of several tenants is a known one: it publishes an issuer that no token has, which the library accepts of this
 * host alone.
 */
export const isKnownAddress = (issuer: string): boolean =>
  !OF_SEVERAL.includes(namedIn(issuer)) || URL.parse(issuer)?.host === HOST

const Keys = Type.Object({
  keys: Type.Array(Type.Object({ kid: Type.Optional(Type.String()), issuer: Type.Optional(Type.String()) })),
})

interface Signed {
  /** The address of the provider, as the operator wrote it. */
  issuer: string
  claims: Claims
  /** The key that signed them, of its published ones. */
  kid: string | undefined
  jwks: unknown
}

/**
 * Checks that a token, whose signature has been checked, is of the tenant that it names. A key may be of one tenant alone: then it signs for no other
 * (https://learn.microsoft.com/entra/identity-platform/access-tokens#validate-the-issuer).
 *
 * @throws Error for a token of another tenant than its key, and for a personal account where organizations alone sign in
 */
export function requireTenant({ issuer, claims: { iss, tid }, kid, jwks }: Signed): void {
  const named = namedIn(issuer)
  if (typeof tid !== 'string' || !TENANT.test(tid)) throw new Error('the token names no tenant')
  if (named === 'organizations' && tid === PERSONAL) throw new Error('the token is of a personal account')
  if (named === 'consumers' && tid !== PERSONAL) throw new Error('the token is of an organization')
  const keys = Value.Check(Keys, jwks) ? jwks.keys : []
  const key = keys.find((each) => each.kid !== undefined && each.kid === kid)
  if (!key) throw new Error('the token names no key')
  if (key.issuer !== undefined && key.issuer.replace('{tenantid}', tid) !== iss)
    throw new Error('the key of the token is of another tenant')
}
