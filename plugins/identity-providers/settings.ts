// The settings of identity providers, [[sign_in.oidc]]: their clients, the people they sign in, and the role of unknown people.
import { type Static, Type } from '@sinclair/typebox'
import { closed, OptionalText } from '../../src/catalogue/schema-parts.ts'
import { defineSection, originIn, type SectionContext } from '../../src/catalogue/sections.ts'
import { readSetSecret } from '../../src/catalogue/set-secret.ts'
import type { TomlPath } from '../../src/catalogue/toml.ts'
import { OneOf } from '../../src/http/schema.ts'
import { withoutTrailing } from '../../src/utilities/text-ends.ts'
import { DEFAULT_PRESET, type EmailTrust, PRESET_NAMES, PRESETS } from './presets.ts'
import { isSupportedIssuer } from './tenants.ts'

const MAX_PROVIDERS = 20

const NAME = {
  pattern: '^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$',
  must: 'lower-case letters, digits and hyphens, such as "google"',
}

const ProviderSchema = Type.Object(
  {
    name: Type.String({ ...NAME, description: 'part of the redirect URI' }),
    title: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 60,
        description: 'shown on the sign-in button; default: the title of the preset',
      }),
    ),
    preset: Type.Optional(OneOf(PRESET_NAMES, { description: 'a known provider' })),
    issuer: OptionalText('the issuer URL of the provider; Google and GitHub need none'),
    client_id: Type.String({
      minLength: 1,
      maxLength: 1_024,
      description: 'of the client that you registered at the provider',
    }),
    client_secret: OptionalText('its secret, or "env:NAME"; a public client has none'),
    scopes: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), {
        maxItems: 30,
        description: 'the scopes to request; default: openid, email and profile',
      }),
    ),
    for: OneOf(['accounts', 'staff', 'both'], {
      default: 'accounts',
      description: 'the people who may sign in with it: those of accounts, the staff, or both',
    }),
    email_domains: Type.Array(Type.String({ minLength: 1 }), {
      default: [],
      maxItems: 200,
      description: 'only addresses of these domains may sign in; default: any',
    }),
    staff_role: Type.Optional(
      OneOf(['operator', 'support', 'auditor'], {
        description:
          'the staff role for unknown people of these domains; if absent, they are not added to the staff',
      }),
    ),
  },
  closed,
)

const SignInSchema = Type.Object(
  { oidc: Type.Array(ProviderSchema, { default: [], maxItems: MAX_PROVIDERS }) },
  closed,
)

type ProviderText = Static<typeof ProviderSchema>

export interface IdentityProvider {
  readonly name: string
  readonly title: string
  readonly is_github: boolean
  readonly issuer: string
  readonly client_id: string
  readonly client_secret: string | undefined
  readonly scopes: readonly string[]
  readonly for: 'accounts' | 'staff' | 'both'
  /** In lower case. */
  readonly email_domains: readonly string[]
  readonly staff_role: 'operator' | 'support' | 'auditor' | undefined
  readonly email_trust: EmailTrust
}

export interface SignInSettings {
  readonly providers: readonly IdentityProvider[]
  /** Providers whose secret is not set, with the missing variable. */
  readonly unavailable: readonly { name: string; variable: string }[]
}

export const NEEDS_PUBLIC_URL =
  'needs public_url in [server], since providers send people back there: set it to the https:// address of this gateway'

/** Reads the section after its schema was checked. A missing variable disables its provider only. */
function readSignIn({ oidc }: Static<typeof SignInSchema>, context: SectionContext): SignInSettings {
  if (oidc.length > 0 && context.server && context.server.public_url === undefined)
    context.report(['sign_in', 'oidc'], NEEDS_PUBLIC_URL)
  const read = oidc.map((text, index) => ({ text, provider: readProvider(text, index, context) }))
  for (const [index, { name }] of oidc.entries())
    if (oidc.findIndex((other) => other.name === name) < index)
      context.report(['sign_in', 'oidc', index, 'name'], `"${name}" is the name of another provider, too`)
  return {
    providers: read.flatMap(({ provider }) => provider ?? []),
    unavailable: read.flatMap(({ text: { name, client_secret = '' }, provider }) =>
      provider ? [] : [{ name, variable: client_secret.replace(/^env:/, '').trim() }],
    ),
  }
}

function readProvider(
  text: ProviderText,
  index: number,
  context: SectionContext,
): IdentityProvider | undefined {
  const path: TomlPath = ['sign_in', 'oidc', index]
  const { name, client_id, client_secret, staff_role } = text
  const preset = text.preset === undefined ? undefined : PRESETS[text.preset]
  const { scopes, email_trust, is_github = false } = preset ?? DEFAULT_PRESET
  checkProvider(text, path, context)
  const written_secret = client_secret !== undefined && client_secret !== ''
  const secret = written_secret
    ? readSetSecret(client_secret, [...path, 'client_secret'], `nobody signs in with "${name}"`, context)
    : undefined
  if (written_secret && secret === undefined) return undefined
  return {
    name,
    title: text.title ?? preset?.title ?? name,
    is_github,
    issuer: issuerOf(text),
    client_id,
    client_secret: secret,
    scopes: text.scopes ?? scopes,
    for: text.for,
    email_domains: text.email_domains.map((domain) => domain.toLowerCase()),
    staff_role,
    email_trust,
  }
}

const issuerOf = ({ issuer, preset }: ProviderText): string =>
  (issuer ?? (preset === undefined ? undefined : PRESETS[preset].issuer) ?? '').trim()

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/
const DOMAIN = /^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/

function checkProvider(text: ProviderText, path: TomlPath, { report }: SectionContext): void {
  const issuer = issuerOf(text)
  const url = URL.parse(issuer)
  const at = (field: string): TomlPath => [...path, field]
  if (issuer === '') report(at('issuer'), 'is missing: write the address of the provider, as it calls itself')
  else if (url?.search !== '' || url.hash !== '' || url.username !== '')
    report(at('issuer'), 'must be an address, such as "https://id.example.com/realms/main"')
  else if (url.protocol !== 'https:' && !(url.protocol === 'http:' && LOOPBACK.test(url.hostname)))
    report(at('issuer'), 'must begin with https://: over HTTP an attacker could sign in as anybody')
  else if (text.preset === 'microsoft' && !isSupportedIssuer(issuer))
    report(at('issuer'), 'must have the ID of a tenant: only login.microsoftonline.com accepts "common"')
  for (const [index, domain] of text.email_domains.entries())
    if (!DOMAIN.test(domain.toLowerCase()))
      report([...at('email_domains'), index], 'must be a domain, such as "example.com"')
  if (text.preset === 'github' && (text.client_secret ?? '') === '')
    report(at('client_secret'), 'is missing: GitHub signs nobody in without it')
  if (text.staff_role === undefined) return
  if (text.for === 'accounts') report(at('staff_role'), 'needs for = "staff" or "both"')
  if (text.email_domains.length === 0)
    report(at('staff_role'), 'needs email_domains: without them anybody could join the staff')
}

export const signInSettings = defineSection({
  name: 'sign_in',
  schema: SignInSchema,
  read: readSignIn,
  secrets: {
    at: ([list, index, field], { oidc }) => {
      if (list !== 'oidc' || field !== 'client_secret') return undefined
      const written: unknown = Array.isArray(oidc) ? oidc[Number(index)] : undefined
      const { issuer, preset } = Object(written) as Partial<ProviderText>
      return (
        originIn(issuer ?? (preset && Object.hasOwn(PRESETS, preset) ? PRESETS[preset].issuer : '')) ||
        'an identity provider'
      )
    },
    in: ({ providers }) => providers.flatMap(({ client_secret }) => client_secret ?? []),
  },
})

/** Whether a provider signs in people of a side of the console. */
export const isFor = ({ for: whom }: Pick<IdentityProvider, 'for'>, side: 'accounts' | 'staff'): boolean =>
  whom === side || whom === 'both'

/**
 * Whether an identity belongs to a provider, even if that was renamed. A multi-tenant Microsoft provider has identities with the issuer of each
 * tenant: it is matched by name.
 */
export const isOfProvider = (
  { issuer, provider }: { issuer: string; provider: string },
  { name, issuer: own, email_trust }: IdentityProvider,
): boolean =>
  withoutTrailing(issuer, '/') === withoutTrailing(own, '/') ||
  (email_trust === 'microsoft' && provider === name)

/** The redirect URI of a provider, as registered there. */
export const redirectUriOf = (public_url: string, { name }: Pick<IdentityProvider, 'name'>): string =>
  `${withoutTrailing(public_url, '/')}/console/sign-in/${name}`

/** The back-channel logout URL of a provider, as registered there. */
export const logoutUriOf = (public_url: string, { name }: Pick<IdentityProvider, 'name'>): string =>
  `${withoutTrailing(public_url, '/')}/identity-providers/${name}/logout`
