// Exchange of an authorization code for the person's identity: by OpenID Connect, or by GitHub's OAuth 2.0 and API.
import type { Configuration, IDToken, ServerMetadata } from 'openid-client'
import { unauthenticated, upstreamFailed } from '../../src/domain/errors.ts'
import { withoutTrailing } from '../../src/utilities/text-ends.ts'
import { type Claims, type ProvedIdentity, readClaims } from './claims.ts'
import type { KnownProvider } from './directory.ts'
import { doesNotAnswer, hasFailed } from './failures.ts'
import type { Flow } from './flow.ts'
import type { IdentityProvider } from './settings.ts'
import { requireTenant } from './tenants.ts'

/** The secrets of a sign-in, which only this browser has: another browser cannot finish it. */
interface Secrets {
  state: string
  nonce: string
  verifier: string
}

/** Creates random secrets for a sign-in. */
export async function newSecrets(): Promise<Secrets> {
  const client = await import('openid-client')
  return {
    state: client.randomState(),
    nonce: client.randomNonce(),
    verifier: client.randomPKCECodeVerifier(),
  }
}

interface AuthorizationRequest {
  redirect_uri: string
  secrets: Secrets
  purpose: Flow['purpose']
}

/** Returns the provider's page on which the person signs in. */
export async function authorizationUrl(
  { configuration, metadata }: KnownProvider,
  provider: IdentityProvider,
  { redirect_uri, secrets, purpose }: AuthorizationRequest,
): Promise<string> {
  const client = await import('openid-client')
  const url = client.buildAuthorizationUrl(configuration, {
    redirect_uri,
    scope: provider.scopes.join(' '),
    state: secrets.state,
    code_challenge: await client.calculatePKCECodeChallenge(secrets.verifier),
    code_challenge_method: 'S256',
    ...(provider.is_github ? {} : { nonce: secrets.nonce }),
    ...promptFor(purpose, provider, metadata),
  })
  return url.href
}

/** A confirmation requests a new sign-in, and linking the choice of an identity, of providers that support these prompts. */
function promptFor(
  purpose: Flow['purpose'],
  { email_trust, is_github }: IdentityProvider,
  metadata: ServerMetadata,
): Record<string, string> {
  if (purpose === 'confirm' && reportsAuthTime(metadata)) return { prompt: 'login', max_age: '0' }
  const { prompt_values_supported: prompts } = metadata as { prompt_values_supported?: unknown }
  const chooses =
    is_github || email_trust !== 'claim' || (Array.isArray(prompts) && prompts.includes('select_account'))
  return purpose === 'link' && chooses ? { prompt: 'select_account' } : {}
}

/**
 * Checks the provider's answer against the secrets in the browser, and fetches the identity.
 *
 * @param callback_url the redirect URI with the query of the provider's answer
 * @throws GatewayError unauthenticated if the person refused, or the answer does not match; upstream_failed if the provider does not answer
 */
export async function exchangeCode(
  known: KnownProvider,
  provider: IdentityProvider,
  { callback_url, secrets, purpose }: Omit<AuthorizationRequest, 'redirect_uri'> & { callback_url: URL },
): Promise<ProvedIdentity> {
  const client = await import('openid-client')
  const { configuration } = known
  const checks = {
    expectedState: secrets.state,
    pkceCodeVerifier: secrets.verifier,
    ...(provider.is_github ? {} : { expectedNonce: secrets.nonce, idTokenExpected: true }),
  }
  try {
    const tokens = await client.authorizationCodeGrant(configuration, callback_url, checks)
    if (provider.email_trust === 'microsoft') await checkTenant(configuration, provider, tokens)
    const identity = provider.is_github
      ? await fromGithub(known, provider, tokens.access_token)
      : await fromClaims(known, provider, checkFresh(tokens.claims(), purpose, known), tokens.access_token)
    if (identity) return identity
  } catch (thrown) {
    throw refusalOf(thrown, provider)
  }
  throw refusalOf(new Error('the provider named nobody'), provider)
}

async function checkTenant(
  configuration: Configuration,
  { issuer }: IdentityProvider,
  tokens: { id_token?: string; claims(): Claims | undefined },
): Promise<void> {
  const { getJwksCache } = await import('openid-client')
  const { decodeProtectedHeader } = await import('jose')
  const { kid } = decodeProtectedHeader(tokens.id_token ?? '')
  requireTenant({ issuer, claims: tokens.claims() ?? {}, kid, jwks: getJwksCache(configuration)?.jwks })
}

/** Whether a provider reports the time of a sign-in. Without it, the gateway cannot tell whether a requested new sign-in took place. */
const reportsAuthTime = ({ claims_supported }: ServerMetadata): boolean =>
  claims_supported?.includes('auth_time') === true

/** The maximum age of a sign-in at the provider that confirms a person. */
const MAX_SIGN_IN_AGE_S = 600

/**
 * Checks the time of the sign-in: the person could have removed the request for a new one from the address, and many providers then omit the time.
 *
 * @throws Error if the sign-in at the provider is older than `MAX_SIGN_IN_AGE_S`, or the provider omits the time although it supports it
 */
function checkFresh(
  claims: IDToken | undefined,
  purpose: Flow['purpose'],
  { metadata }: Pick<KnownProvider, 'metadata'>,
): IDToken | undefined {
  const { auth_time = reportsAuthTime(metadata) ? 0 : undefined, iat = 0 } = claims ?? {}
  if (purpose === 'confirm' && auth_time !== undefined && auth_time < iat - MAX_SIGN_IN_AGE_S)
    throw new Error('the provider did not ask for a new sign-in')
  return claims
}

async function fromClaims(
  { configuration, metadata }: KnownProvider,
  { email_trust }: IdentityProvider,
  claims: Claims | undefined,
  access_token: string,
): Promise<ProvedIdentity | undefined> {
  if (!claims) return undefined
  const has_email = claims.email !== undefined || metadata.userinfo_endpoint === undefined
  if (has_email) return readClaims(claims, email_trust)
  const client = await import('openid-client')
  // Address and verification must come from the same answer: a mix would claim something that no answer said.
  return readClaims(
    claims,
    email_trust,
    await client.fetchUserInfo(configuration, access_token, String(claims.sub)),
  )
}

/** https://docs.github.com/en/rest/users/emails */
async function fromGithub(
  { fetch }: KnownProvider,
  { issuer: written, email_trust }: IdentityProvider,
  access_token: string,
): Promise<ProvedIdentity | undefined> {
  const issuer = withoutTrailing(written, '/')
  const api = issuer === 'https://github.com' ? 'https://api.github.com' : `${issuer}/api/v3`
  const read = async (path: string): Promise<unknown> => {
    const answer = await fetch(`${api}${path}`, {
      headers: {
        authorization: `Bearer ${access_token}`,
        accept: 'application/vnd.github+json',
        'user-agent': 'tollgate',
      },
    })
    // GitHub's rate limit: https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api
    if (answer.status === 403) throw upstreamFailed(`${path} answered 403`)
    if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}`)
    return await answer.json()
  }
  const user = Object(await read('/user')) as Claims
  const emails: unknown = await read('/user/emails')
  const all = Array.isArray(emails) ? (emails as Claims[]) : []
  const primary = all.find((email) => email?.primary === true)
  if (!Number.isSafeInteger(user.id)) return undefined
  return readClaims({ iss: issuer, sub: String(user.id) }, email_trust, {
    name: user.name ?? user.login,
    email: primary?.email,
    email_verified: primary?.verified,
  })
}

/** OAuth 2.0 error codes for failures of the provider itself. */
const PROVIDER_FAILURES: ReadonlySet<unknown> = new Set(['server_error', 'temporarily_unavailable'])

function refusalOf(thrown: unknown, provider: IdentityProvider) {
  const { title } = provider
  const { error } = Object(thrown) as { error?: unknown }
  if (hasFailed(thrown) || PROVIDER_FAILURES.has(error)) return doesNotAnswer(provider, thrown)
  if (error === 'access_denied')
    return unauthenticated(`You did not let ${title} sign you in. Try again, or sign in another way.`, {
      code: 'identity_denied',
      cause: thrown,
    })
  const what = typeof error === 'string' && /^[a-z_]{1,60}$/.test(error) ? ` (${error})` : ''
  return unauthenticated(
    `${title} did not confirm who you are${what}. Try again; if it goes on, tell the operator.`,
    { code: 'identity_not_confirmed', cause: thrown },
  )
}
