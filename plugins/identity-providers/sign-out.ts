// Sign-out at the provider through the browser (OpenID Connect RP-Initiated Logout 1.0), for providers that support it.
import type { IdentityProvider } from './settings.ts'
import type { ProviderSignIn } from './signing-in.ts'

/**
 * Returns the provider's sign-out page. The provider asks the person for confirmation, since the gateway stores no ID token to send along.
 *
 * @param back the page to return to
 * @returns undefined if the provider has no sign-out page, or its configuration cannot be read
 */
export async function endSessionUrl(
  own: Pick<ProviderSignIn, 'known'>,
  provider: IdentityProvider,
  back: string,
): Promise<string | undefined> {
  if (provider.is_github) return undefined
  try {
    const { configuration, metadata } = await own.known(provider)
    if (metadata.end_session_endpoint === undefined) return undefined
    const client = await import('openid-client')
    return client.buildEndSessionUrl(configuration, { post_logout_redirect_uri: back }).href
  } catch {
    // The provider does not answer: the sign-out here goes on without it. The directory has logged the reason.
    return undefined
  }
}
