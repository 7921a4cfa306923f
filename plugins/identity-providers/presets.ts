// Known identity providers: their addresses, what is asked of them, and when an address that they tell is one that they have checked.
export const PRESET_NAMES = ['google', 'microsoft', 'keycloak', 'github'] as const
type PresetName = (typeof PRESET_NAMES)[number]

/** The claims by which a provider says that an address is the person's. */
export type EmailTrust =
  /** `email_verified` is true. */
  | 'claim'
  /** The same, and the address is one that Google itself gives out: https://developers.google.com/identity/gsi/web/guides/verify-google-id-token */
  | 'google'
  /** `xms_edov`, since Entra ID tells addresses that nobody has checked: https://learn.microsoft.com/entra/identity-platform/optional-claims-reference */
  | 'microsoft'

interface Preset {
  title: string
  /** One address for everybody. */
  issuer?: string
  scopes: readonly string[]
  email_trust: EmailTrust
  /** OAuth 2.0 with an API of its own, in place of OpenID Connect. */
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

/** Of a provider without a preset. */
export const PLAIN: Omit<Preset, 'title'> = { scopes: OPENID, email_trust: 'claim' }
