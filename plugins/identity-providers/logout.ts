// Sign-out at the provider: its logout token (OpenID Connect Back-Channel Logout 1.0) ends the sessions that its identities opened here.
import type { RemoteJWKSet } from 'jose'
import { invalidRequest } from '../../src/domain/errors.ts'
import { recordAction } from '../../src/store/actions.ts'
import type { Db } from '../../src/store/db.ts'
import { nonEmpty } from './claims.ts'
import type { KnownProvider } from './directory.ts'
import { doesNotAnswer, hasFailed } from './failures.ts'
import { endSessionsOf, endSessionsOfProvider, findIdentity } from './identities.ts'
import type { IdentityProvider } from './settings.ts'
import { spend } from './spent.ts'

const EVENT = 'http://schemas.openid.net/event/backchannel-logout'
/** The specification recommends at most two minutes. */
const MAX_AGE_S = 180
const TOLERANCE_S = 30

/** A logout token with a valid signature and valid claims. */
interface LogoutToken {
  issuer: string
  id: string
  /** If present, only sessions that were opened out of this session at the provider end; otherwise all sessions of `subject`. */
  provider_session: string | undefined
  subject: string | undefined
}

/**
 * Validates a logout token by section 2.6 of the specification.
 *
 * @throws GatewayError invalid_request for an invalid one; upstream_failed if the provider's keys cannot be read
 */
export async function readLogoutToken(
  known: KnownProvider,
  provider: Pick<IdentityProvider, 'client_id' | 'title'>,
  token: string,
  now_ms: number,
): Promise<LogoutToken> {
  const jose = await import('jose')
  const { issuer, jwks_uri, id_token_signing_alg_values_supported } = known.metadata
  if (jwks_uri === undefined) throw notValid(new Error('the provider publishes no keys'))
  try {
    const keys = await keysOf(known, jwks_uri)
    const algorithms = (id_token_signing_alg_values_supported as string[] | undefined)?.filter(isAsymmetric)
    const { payload, protectedHeader } = await jose.jwtVerify(token, keys, {
      issuer,
      audience: provider.client_id,
      algorithms: algorithms ?? ['RS256'],
      requiredClaims: ['iat', 'jti', 'events'],
      maxTokenAge: MAX_AGE_S,
      clockTolerance: TOLERANCE_S,
      currentDate: new Date(now_ms),
    })
    const { typ } = protectedHeader
    if (typ !== undefined && !/^(?:application\/)?(?:logout\+jwt|jwt)$/i.test(typ))
      throw new Error(`typ is ${typ}`)
    return claimsOf(payload)
  } catch (cause) {
    throw hasFailed(cause) ? doesNotAnswer(provider, cause) : notValid(cause)
  }
}

/** The keys of each provider. The library reads them again for a token with an unknown key, at most every 30 s. */
const key_sets = new WeakMap<KnownProvider, RemoteJWKSet>()

async function keysOf(known: KnownProvider, jwks_uri: string): Promise<RemoteJWKSet> {
  const kept = key_sets.get(known)
  if (kept) return kept
  const jose = await import('jose')
  const keys = jose.createRemoteJWKSet(new URL(jwks_uri), {
    [jose.customFetch]: (url, { headers, signal }) =>
      known.fetch(url, { headers: Object.fromEntries(headers), signal }),
  })
  key_sets.set(known, keys)
  return keys
}

/** Shared secrets and "none" prove nothing: other clients, or anybody, could sign with them. */
const isAsymmetric = (algorithm: string): boolean => /^(?:RS|PS|ES)\d{3}$|^Ed/.test(algorithm)

function claimsOf({ iss, jti, sub, sid, events, ...rest }: Readonly<Record<string, unknown>>): LogoutToken {
  if ('nonce' in rest) throw new Error('it has a nonce, as an ID token does')
  const event: unknown = Object(events)[EVENT]
  if (typeof event !== 'object' || event === null) throw new Error('it is of another event')
  const [provider_session, subject] = [nonEmpty(sid), nonEmpty(sub)]
  if (provider_session === undefined && subject === undefined)
    throw new Error('it names no session and nobody')
  const id = nonEmpty(jti)
  if (id === undefined || typeof iss !== 'string') throw new Error('it has no id')
  return { issuer: iss, id, provider_session, subject }
}

/** Ends the sessions that a token names; a token works once. @throws GatewayError invalid_request for a used token */
export async function endByToken(
  db: Db,
  { issuer, id, provider_session, subject }: LogoutToken,
  { provider, now_ms }: { provider: string; now_ms: number },
): Promise<number> {
  return await db.begin(
    async (tx) => {
      const lasts_ms = (MAX_AGE_S + 2 * TOLERANCE_S) * 1_000
      if (!(await spend(tx, ['logout', issuer, id], now_ms + lasts_ms)))
        throw notValid(new Error('it was used'))
      const identity = subject === undefined ? undefined : await findIdentity(tx, { issuer, subject })
      const ended =
        provider_session !== undefined
          ? await endSessionsOfProvider(tx, { issuer, provider_session })
          : identity
            ? await endSessionsOf(tx, identity)
            : []
      for (const { id: session, account_id } of ended)
        await recordAction(tx, {
          action: 'session.ended',
          account_id: account_id ?? undefined,
          before: { session },
          after: { signed_out_at: provider },
        })
      return ended.length
    },
    { by: { actor: { kind: 'system' }, now_ms } },
  )
}

const notValid = (cause: unknown) =>
  invalidRequest('The logout token is not valid.', {
    code: 'invalid_logout_token',
    param: 'logout_token',
    cause,
  })
