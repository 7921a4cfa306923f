// A code exchanged for who somebody is: by OpenID Connect, or by GitHub's OAuth 2.0 and its API.
import type { Configuration, IDToken, ServerMetadata } from 'openid-client'
import { unauthenticated, upstreamFailed } from '../../src/domain/errors.ts'
import { withoutTrailing } from '../../src/utilities/text-ends.ts'
import { type Claims, identityIn, type ProvedIdentity } from './claims.ts'
import type { KnownProvider } from './directory.ts'
import { doesNotAnswer, hasFailed } from './failing.ts'
import type { Flow } from './flow.ts'
import type { IdentityProvider } from './settings.ts'
import { requireTenant } from './tenants.ts'

/** The browser's part of a sign-in under way: whoever does not have it cannot finish. */
interface Secrets {
  state: string
  nonce: string
  verifier: string
}

/** Random values for a sign-in. */
export async function newSecrets(): Promise<Secrets> {
  const client = await import('openid-client')
  return {
    state: client.randomState(),
    nonce: client.randomNonce(),
    verifier: client.randomPKCECodeVerifier(),
  }
}

interface Asking {
  redirect_uri: string
  secrets: Secrets
  purpose: Flow['purpose']
}

/** The provider's page on which a person shows who they are. */
export async function authorizationUrl(
  { configuration, metadata }: KnownProvider,
  provider: IdentityProvider,
  { redirect_uri, secrets, purpose }: Asking,
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

/** Confirming asks for a new sign-in there, and linking for which of one's identities it is to be, of providers that know the wish. */
function promptFor(
  purpose: Flow['purpose'],
  { email_trust, is_github }: IdentityProvider,
  metadata: ServerMetadata,
): Record<string, string> {
  if (purpose === 'confirm' && tellsTime(metadata)) return { prompt: 'login', max_age: '0' }
  const { prompt_values_supported: prompts } = metadata as { prompt_values_supported?: unknown }
  const chooses =
    is_github || email_trust !== 'claim' || (Array.isArray(prompts) && prompts.includes('select_account'))
  return purpose === 'link' && chooses ? { prompt: 'select_account' } : {}
}

/**
 * Checks what came back against what the browser kept, and asks the provider who it is.
 *
 * @param came_back the redirect URI with the query of the provider's answer
 * @throws GatewayError unauthenticated where the person refused, or the provider's answer does not fit; upstream_failed where it does not answer
 */
export async function exchangeCode(
  known: KnownProvider,
  provider: IdentityProvider,
  { came_back, secrets, purpose }: Omit<Asking, 'redirect_uri'> & { came_back: URL },
): Promise<ProvedIdentity> {
  const client = await import('openid-client')
  const { configuration } = known
  const checks = {
    expectedState: secrets.state,
    pkceCodeVerifier: secrets.verifier,
    ...(provider.is_github ? {} : { expectedNonce: secrets.nonce, idTokenExpected: true }),
  }
  try {
    const tokens = await client.authorizationCodeGrant(configuration, came_back, checks)
    if (provider.email_trust === 'microsoft') await checkTenant(configuration, provider, tokens)
    const identity = provider.is_github
      ? await fromGithub(known, provider, tokens.access_token)
      : await fromClaims(known, provider, freshIn(tokens.claims(), purpose, known), tokens.access_token)
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

/** Whether a provider says when somebody signed in there: others take no wish for a new sign-in, or keep to themselves what came of it. */
const tellsTime = ({ claims_supported }: ServerMetadata): boolean =>
  claims_supported?.includes('auth_time') === true

/** Of a sign-in at the provider that is to be fresh. */
const MAX_FRESH_S = 600

/**
 * Whoever sits there may have taken the wish for a new sign-in out of the address: then many providers leave the time out, too.
 *
 * @throws Error for a sign-in at the provider that is older, or of a time that it keeps to itself though it knows the wish
 */
function freshIn(
  claims: IDToken | undefined,
  purpose: Flow['purpose'],
  { metadata }: Pick<KnownProvider, 'metadata'>,
): IDToken | undefined {
  const { auth_time = tellsTime(metadata) ? 0 : undefined, iat = 0 } = claims ?? {}
  if (purpose === 'confirm' && auth_time !== undefined && auth_time < iat - MAX_FRESH_S)
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
  const is_told = claims.email !== undefined || metadata.userinfo_endpoint === undefined
  if (is_told) return identityIn(claims, email_trust)
  const client = await import('openid-client')
  // Address and check are of one answer: one of each would say what nobody has said.
  return identityIn(
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
    // Its limit of requests: https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api
    if (answer.status === 403) throw upstreamFailed(`${path} answered 403`)
    if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}`)
    return await answer.json()
  }
  const user = Object(await read('/user')) as Claims
  const emails: unknown = await read('/user/emails')
  const all = Array.isArray(emails) ? (emails as Claims[]) : []
  const primary = all.find((email) => email?.primary === true)
  if (!Number.isSafeInteger(user.id)) return undefined
  return identityIn({ iss: issuer, sub: String(user.id) }, email_trust, {
    name: user.name ?? user.login,
    email: primary?.email,
    email_verified: primary?.verified,
  })
}

/** The codes of OAuth 2.0 by which a provider says that it fails itself. */
const OF_PROVIDER: ReadonlySet<unknown> = new Set(['server_error', 'temporarily_unavailable'])

function refusalOf(thrown: unknown, provider: IdentityProvider) {
  const { title } = provider
  const { error } = Object(thrown) as { error?: unknown }
  if (hasFailed(thrown) || OF_PROVIDER.has(error)) return doesNotAnswer(provider, thrown)
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
