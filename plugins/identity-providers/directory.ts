// The published configurations of identity providers: read at first use, cached for an hour, and longer while a provider does not answer.
import type { Configuration, CustomFetch, ServerMetadata } from 'openid-client'
import type { Logger } from '../../src/observe/log.ts'
import { withoutTrailing } from '../../src/utilities/text-ends.ts'
import { messageOf } from '../../src/utilities/thrown.ts'
import { createProviderFetch, type ProviderFetch } from './provider-fetch.ts'
import type { IdentityProvider } from './settings.ts'

/** A provider with its published configuration. */
export interface KnownProvider {
  configuration: Configuration
  metadata: ServerMetadata
  fetch: ProviderFetch
}

export interface Directory {
  /** @throws Error if the provider cannot be read, and was not read before */
  of(provider: IdentityProvider): Promise<KnownProvider>
}

interface CacheEntry {
  known: Promise<KnownProvider>
  read_at_ms: number
}

const CACHE_TTL_MS = 3_600_000
/** The pause after a failure, so that repeated visits to the form do not query the provider each time. */
const RETRY_AFTER_MS = 5_000
/** For clocks that differ, when times in tokens are checked. */
const TOLERANCE_S = 30

export function createDirectory({ now, log }: { now: () => number; log: Pick<Logger, 'warn'> }): Directory {
  const all = new Map<string, CacheEntry>()

  function refresh(id: string, provider: IdentityProvider, before: CacheEntry | undefined): CacheEntry {
    const read_at_ms = now()
    const known = readProvider(provider).catch((cause: unknown) => {
      log.warn({ provider: provider.name, cause: messageOf(cause) }, 'an identity provider cannot be read')
      const kept = all.get(id)
      if (kept?.read_at_ms === read_at_ms) kept.read_at_ms = read_at_ms - CACHE_TTL_MS + RETRY_AFTER_MS
      if (before) return before.known
      throw cause
    })
    const kept = { known, read_at_ms }
    all.set(id, kept)
    return kept
  }

  return {
    async of(provider) {
      // A changed client or secret needs another configuration.
      const id = JSON.stringify([provider.name, provider.issuer, provider.client_id, provider.client_secret])
      const before = all.get(id)
      const kept =
        before && Math.abs(now() - before.read_at_ms) < CACHE_TTL_MS ? before : refresh(id, provider, before)
      return await kept.known
    },
  }
}

/** @throws Error from the library or the network */
export async function readProvider(
  provider: IdentityProvider,
  fetch: ProviderFetch = createProviderFetch(provider.issuer),
): Promise<KnownProvider> {
  const client = await import('openid-client')
  const custom = fetch as CustomFetch
  const { client_id, client_secret } = provider
  const is_plain = provider.issuer.startsWith('http:')
  if (provider.is_github) {
    const metadata = githubMetadata(provider)
    const auth = client.ClientSecretPost(client_secret)
    const configuration = new client.Configuration(metadata, client_id, client_secret, auth)
    configuration[client.customFetch] = custom
    if (is_plain) client.allowInsecureRequests(configuration)
    return { configuration, metadata, fetch }
  }
  const settings = {
    [client.clockTolerance]: TOLERANCE_S,
    ...(client_secret !== undefined && { client_secret }),
  }
  const execute = [client.enableNonRepudiationChecks, ...(is_plain ? [client.allowInsecureRequests] : [])]
  const options = { execute, [client.customFetch]: custom }
  const discovered = await client.discovery(new URL(provider.issuer), client_id, settings, undefined, options)
  const metadata = discovered.serverMetadata()
  if (client_secret === undefined || !onlyTakesBasicAuth(metadata))
    return { configuration: discovered, metadata, fetch }
  const basic = new client.Configuration(
    metadata,
    client_id,
    settings,
    client.ClientSecretBasic(client_secret),
  )
  basic[client.customFetch] = custom
  for (const each of execute) each(basic)
  return { configuration: basic, metadata, fetch }
}

const onlyTakesBasicAuth = ({ token_endpoint_auth_methods_supported: methods }: ServerMetadata): boolean =>
  methods?.includes('client_secret_post') !== true

/** GitHub publishes no configuration: https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps */
function githubMetadata({ issuer: written }: IdentityProvider): ServerMetadata {
  const issuer = withoutTrailing(written, '/')
  return {
    issuer,
    authorization_endpoint: `${issuer}/login/oauth/authorize`,
    token_endpoint: `${issuer}/login/oauth/access_token`,
  }
}
