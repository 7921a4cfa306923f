// Tenants of Microsoft: the check that a token from a multi-tenant issuer is signed for the tenant that it names.
import { Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import type { Claims } from './claims.ts'

// In place of a tenant's ID: https://learn.microsoft.com/entra/identity-platform/v2-protocols-oidc#find-your-apps-openid-configuration-document-uri
const MULTI_TENANT = ['common', 'organizations', 'consumers']
const HOST = 'login.microsoftonline.com'
/** The tenant of all personal accounts: https://learn.microsoft.com/entra/identity-platform/id-token-claims-reference */
const PERSONAL = '9188040d-6c67-4c5b-b112-36a304b66dad'
const TENANT = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

const tenantOf = (issuer: string): string => URL.parse(issuer)?.pathname.split('/')[1] ?? ''

/**
 * Whether an issuer is supported. A multi-tenant issuer works at this host only: it publishes an issuer that no token has, which the library accepts
 * only there.
 */
export const isSupportedIssuer = (issuer: string): boolean =>
  !MULTI_TENANT.includes(tenantOf(issuer)) || URL.parse(issuer)?.host === HOST

const Keys = Type.Object({
  keys: Type.Array(Type.Object({ kid: Type.Optional(Type.String()), issuer: Type.Optional(Type.String()) })),
})

interface SignedToken {
  /** The issuer as the operator wrote it. */
  issuer: string
  claims: Claims
  /** The ID of the key that signed the token. */
  kid: string | undefined
  jwks: unknown
}

/**
 * Checks that a token with a valid signature belongs to the tenant that it names. A key may belong to one tenant: then it cannot sign for another
 * (https://learn.microsoft.com/entra/identity-platform/access-tokens#validate-the-issuer).
 *
 * @throws Error if token and key belong to different tenants, and for a kind of account that the issuer excludes
 */
export function requireTenant({ issuer, claims: { iss, tid }, kid, jwks }: SignedToken): void {
  const tenant = tenantOf(issuer)
  if (typeof tid !== 'string' || !TENANT.test(tid)) throw new Error('the token names no tenant')
  if (tenant === 'organizations' && tid === PERSONAL) throw new Error('the token is of a personal account')
  if (tenant === 'consumers' && tid !== PERSONAL) throw new Error('the token is of an organization')
  const keys = Value.Check(Keys, jwks) ? jwks.keys : []
  const key = keys.find((each) => each.kid !== undefined && each.kid === kid)
  if (!key) throw new Error('the token names no key')
  if (key.issuer !== undefined && key.issuer.replace('{tenantid}', tid) !== iss)
    throw new Error('the key of the token is of another tenant')
}
