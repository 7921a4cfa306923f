// Known identity providers: their issuers and scopes, and the claims by which each says that an address is verified.
export const PRESET_NAMES = ['google', 'microsoft', 'keycloak', 'github'] as const
type PresetName = (typeof PRESET_NAMES)[number]

/** The claims by which a provider says that it has verified an address. */
export type EmailTrust =
  /** `email_verified` is true. */
  | 'claim'
  /** `email_verified`, and an address that Google itself issues: https://developers.google.com/identity/gsi/web/guides/verify-google-id-token */
  | 'google'
  /** `xms_edov`, since Entra ID reports unverified addresses: https://learn.microsoft.com/entra/identity-platform/optional-claims-reference */
  | 'microsoft'

interface Preset {
  title: string
  /** The same for all customers; absent if each has its own. */
  issuer?: string
  scopes: readonly string[]
  email_trust: EmailTrust
  /** OAuth 2.0 with GitHub's own API instead of OpenID Connect. */
  is_github?: true
}

const OPENID = ['openid', 'email', 'profile']

export const PRESETS: Readonly<Record<PresetName, Preset>> = {
  google: { title: 'Google', issuer: 'https://accounts.google.com', scopes: OPENID, email_trust: 'google' },
  microsoft: { title: 'Microsoft', scopes: OPENID, email_trust: 'microsoft' },
  keycloak: { title: 'Keycloak', scopes: OPENID, email_trust: 'claim' },
  github: {
    title: 'GitHub',
    issuer: 'https://github.com',
    scopes: ['read:user', 'user:email'],
    email_trust: 'claim',
    is_github: true,
  },
}

/** For providers without a preset. */
export const DEFAULT_PRESET: Omit<Preset, 'title'> = { scopes: OPENID, email_trust: 'claim' }
