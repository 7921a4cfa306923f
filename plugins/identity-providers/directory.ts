// The configurations of identity providers as they publish them: read at first use, kept for an hour, and longer while a provider does not answer.
import type { Configuration, CustomFetch, ServerMetadata } from 'openid-client'
import type { Logger } from '../../src/observe/log.ts'
import { withoutTrailing } from '../../src/utilities/text-ends.ts'
import { messageOf } from '../../src/utilities/thrown.ts'
import { createProviderFetch, type ProviderFetch } from './provider-fetch.ts'
import type { IdentityProvider } from './settings.ts'

/** A provider with what it publishes. */
export interface KnownProvider {
  configuration: Configuration
  metadata: ServerMetadata
  fetch: ProviderFetch
}

export interface Directory {
  /** @throws Error where the provider has not been read yet, and cannot be */
  of(provider: IdentityProvider): Promise<KnownProvider>
}

interface Kept {
  known: Promise<KnownProvider>
  read_at_ms: number
}

const KEPT_MS = 3_600_000
/** The pause after a failure: whoever opens the form again and again does not have the provider asked each time. */
const PAUSE_MS = 5_000
/** Of clocks that differ, for the times in tokens. */
const TOLERANCE_S = 30

export function createDirectory({ now, log }: { now: () => number; log: Pick<Logger, 'warn'> }): Directory {
  const all = new Map<string, Kept>()

  function readAnew(id: string, provider: IdentityProvider, before: Kept | undefined): Kept {
    const read_at_ms = now()
    const known = readProvider(provider).catch((cause: unknown) => {
      log.warn({ provider: provider.name, cause: messageOf(cause) }, 'an identity provider cannot be read')
      const kept = all.get(id)
      if (kept?.read_at_ms === read_at_ms) kept.read_at_ms = read_at_ms - KEPT_MS + PAUSE_MS
      if (before) return before.known
      throw cause
    })
    const kept = { known, read_at_ms }
    all.set(id, kept)
    return kept
  }

  return {
    async of(provider) {
      // Another client or secret is another configuration.
      const id = JSON.stringify([provider.name, provider.issuer, provider.client_id, provider.client_secret])
      const before = all.get(id)
      const kept = before && now() - before.read_at_ms < KEPT_MS ? before : readAnew(id, provider, before)
      return await kept.known
    },
  }
}

/** @throws Error of the library or the network */
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
  if (client_secret === undefined || !takesBasicAlone(metadata))
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

const takesBasicAlone = ({ token_endpoint_auth_methods_supported: methods }: ServerMetadata): boolean =>
  methods?.includes('client_secret_post') !== true

/** GitHub publishes none: https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps */
function githubMetadata({ issuer: written }: IdentityProvider): ServerMetadata {
  const issuer = withoutTrailing(written, '/')
  return {
    issuer,
    authorization_endpoint: `${issuer}/login/oauth/authorize`,
    token_endpoint: `${issuer}/login/oauth/access_token`,
  }
}
