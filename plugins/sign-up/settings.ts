// The settings of sign-up, [sign_up]: the mode, the challenge, the limits and the welcome credit.
import { type Static, Type } from '@sinclair/typebox'
import { readUsd } from '../../src/catalogue/prices.ts'
import { closed } from '../../src/catalogue/schema-parts.ts'
import { defineSection, type SectionContext } from '../../src/catalogue/sections.ts'
import { readSetSecret } from '../../src/catalogue/set-secret.ts'
import type { Catalogue } from '../../src/domain/catalogue.ts'
import type { Nanos } from '../../src/domain/money.ts'
import { OneOf } from '../../src/http/schema.ts'
import { canMail } from '../mail/index.ts'

export const MODES = ['closed', 'invitation', 'open'] as const
export const CHALLENGES = ['altcha', 'turnstile', 'none'] as const
const DOMAIN = '^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+$'
/** A file name without a folder: console sessions cannot make the gateway read other files. */
const FILE_NAME = '^[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}$'

const MAX_WELCOME_USD = 10_000

const Limit = (preset: number, description: string) =>
  Type.Integer({ default: preset, minimum: 0, maximum: 1_000_000, description })

const SignUpSchema = Type.Object(
  {
    mode: OneOf(MODES, {
      default: 'closed',
      description: 'who may sign up: nobody, people with an invitation, or anybody',
    }),
    email_domains: Type.Array(
      Type.String({ pattern: DOMAIN, maxLength: 253, must: 'a domain in lower case, such as "example.com"' }),
      { default: [], description: 'the only domains of email addresses that may sign up; empty: all' },
    ),
    challenge: OneOf(CHALLENGES, {
      default: 'altcha',
      description:
        'the challenge against bots: "altcha", a second of work for the browser, without a third party; "turnstile", of Cloudflare; or "none"',
    }),
    turnstile_site_key: Type.Optional(
      Type.String({
        pattern: '^[\\w.-]{1,100}$',
        must: 'a site key',
        description: 'the site key of Turnstile',
      }),
    ),
    turnstile_secret: Type.Optional(
      Type.String({ description: 'the secret key of Turnstile; "env:NAME" reads an environment variable' }),
    ),
    per_address_per_day: Limit(5, 'sign-ups from one network address (of IPv6, a /64) in a day; 0: no limit'),
    per_domain_per_day: Limit(
      50,
      'sign-ups of one email domain in a day, except of large mail providers; 0: no limit',
    ),
    mails_per_hour: Limit(200, 'mails that sign-ups may cause in an hour; 0: no limit'),
    disposable_domains: Type.Optional(
      Type.String({
        pattern: FILE_NAME,
        must: 'the name of a file in the data folder',
        description:
          'a file in the data folder with the domains of throw-away addresses, one in a line, in place of the built-in list',
      }),
    ),
    terms_version: Type.Optional(
      Type.String({
        pattern: '^[\\w. -]{1,50}$',
        must: 'a short text, such as "2026-11"',
        description: 'the version of your terms of service, kept with each acceptance',
      }),
    ),
    welcome_usd: Type.Number({
      default: 0,
      minimum: 0,
      maximum: MAX_WELCOME_USD,
      must: `an amount in USD of 0 up to ${MAX_WELCOME_USD}`,
      description:
        'what the first payment of an account that signed up brings beside its credit, at most as much as that; 0: nothing',
    }),
  },
  closed,
)

type SignUpText = Static<typeof SignUpSchema>

export interface SignUpSettings
  extends Omit<SignUpText, 'challenge' | 'turnstile_site_key' | 'turnstile_secret' | 'welcome_usd'> {
  /** 0: no welcome credit. */
  welcome_nanos: Nanos
  /** Undefined if the secret of the challenge is not set: then sign-up is closed. */
  challenge: Challenge | undefined
}

/** The challenge that a browser has to solve. */
type Challenge =
  | { kind: 'altcha' }
  | { kind: 'none' }
  | { kind: 'turnstile'; site_key: string; secret: string }

const at = (name: keyof SignUpText): ['sign_up', string] => ['sign_up', name]

/** Reads the section after its schema was checked. */
function readSignUp(text: SignUpText, context: SectionContext): SignUpSettings {
  const { mode } = text
  const { turnstile_site_key: _, turnstile_secret: __, welcome_usd, ...rest } = text
  if (mode !== 'closed') requireMail(context)
  const welcome_nanos = readUsd(welcome_usd, at('welcome_usd'), context.report, MAX_WELCOME_USD)
  return { ...rest, welcome_nanos, challenge: readChallenge(text, context) }
}

/** Sign-up needs mail: the mailed link verifies the address. */
function requireMail({ server, file, report }: SectionContext): void {
  if (server && server.public_url === undefined)
    report(
      at('mode'),
      'needs public_url in [server], since links in mails lead there: set it to the https:// address of this gateway',
    )
  const { mail } = file
  if (typeof mail !== 'object' || mail === null || !('smtp' in mail))
    report(
      at('mode'),
      'needs a mail server, since people confirm their address by a mail: set smtp in [mail]',
    )
}

function readChallenge(
  { mode, challenge, turnstile_site_key, turnstile_secret }: SignUpText,
  context: SectionContext,
): Challenge | undefined {
  if (challenge !== 'turnstile') return { kind: challenge }
  const { report } = context
  if (turnstile_site_key === undefined)
    report(at('turnstile_site_key'), 'is missing: copy it from the page of your widget at Cloudflare')
  if (turnstile_secret === undefined)
    report(at('turnstile_secret'), 'is missing: copy it from the page of your widget at Cloudflare')
  if (turnstile_site_key === undefined || turnstile_secret === undefined) return undefined
  const consequence = mode === 'closed' ? 'sign-up is closed' : 'nobody can sign up'
  const secret = readSetSecret(turnstile_secret, at('turnstile_secret'), consequence, context)
  return secret === undefined ? undefined : { kind: 'turnstile', site_key: turnstile_site_key, secret }
}

export const signUpSettings = defineSection({
  name: 'sign_up',
  schema: SignUpSchema,
  read: readSignUp,
  secrets: {
    at: ([name]) => (name === 'turnstile_secret' ? 'Turnstile' : undefined),
    in: ({ challenge }) => (challenge?.kind === 'turnstile' ? [challenge.secret] : []),
  },
  before: 'console',
})

type Sections = Pick<Catalogue, 'sections' | 'server'>

/** The current mode of sign-up. It is "closed", too, if the gateway cannot send mail or the challenge lacks its secret. */
export function modeOf(catalogue: Sections): (typeof MODES)[number] {
  const { mode, challenge } = signUpSettings.of(catalogue)
  const is_usable = canMail(catalogue) && catalogue.server.public_url !== undefined && challenge !== undefined
  return is_usable ? mode : 'closed'
}

/** Whether anybody may sign up: then pages link to the form. */
export const isSignUpOpen = (catalogue: Sections): boolean => modeOf(catalogue) === 'open'
