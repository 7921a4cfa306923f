// Signing out at the provider by the browser (OpenID Connect RP-Initiated Logout 1.0), where it has a place for that.
import type { IdentityProvider } from './settings.ts'
import type { SigningIn } from './signing-in.ts'

/**
 * Where somebody signs out at their provider. It asks them first, since it is told no token: none is kept.
 *
 * @param back where they come back to
 * @returns undefined where it has no such place, or cannot be read
 */
export async function endSessionUrl(
  own: Pick<SigningIn, 'known'>,
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
    // It does not answer: whoever signs out here goes on without it. The directory has logged why.
    return undefined
  }
}
