// The settings of card payments by Stripe, [payments.stripe].
import { type Static, Type } from '@sinclair/typebox'
import { closed } from '../../../src/catalogue/schema-parts.ts'
import type { SectionContext } from '../../../src/catalogue/sections.ts'
import { readSetSecret } from '../../../src/catalogue/set-secret.ts'
import type { TomlPath } from '../../../src/catalogue/toml.ts'
import { isCurrency } from '../../../src/domain/currencies.ts'

export const StripeSchema = Type.Object(
  {
    secret_key: Type.String({
      minLength: 1,
      maxLength: 500,
      description: 'the key of your Stripe account, sk_… or a restricted one, rk_…; or "env:NAME"',
    }),
    webhook_secret: Type.String({
      minLength: 1,
      maxLength: 500,
      description: 'the signing secret of the webhook endpoint, whsec_…; or "env:NAME"',
    }),
    currencies: Type.Optional(
      Type.Array(Type.String(), {
        maxItems: 40,
        description: 'currencies that cards are charged in; all of [payments.rates] where absent',
      }),
    ),
    methods: Type.Optional(
      Type.Array(Type.String({ pattern: '^[a-z0-9_]{1,40}$' }), {
        minItems: 1,
        maxItems: 20,
        description:
          'payment methods by Stripe’s names, such as card and sepa_debit; those of your Stripe dashboard where absent',
      }),
    ),
    tax: Type.Boolean({
      default: false,
      description: 'Stripe Tax computes the tax that is included in each payment',
    }),
  },
  closed,
)

export interface StripeSettings {
  readonly secret_key: string
  readonly webhook_secret: string
  /** Undefined: all currencies with a rate. */
  readonly currencies: readonly string[] | undefined
  /** Stripe’s names; undefined: the methods of the Stripe dashboard. */
  readonly methods: readonly string[] | undefined
  readonly tax: boolean
}

export interface ReadStripe {
  readonly stripe: StripeSettings | undefined
  /** Error of a configured section that cannot be used: the gateway does not start. */
  readonly stripe_unavailable: string | undefined
}

export const NO_STRIPE: ReadStripe = { stripe: undefined, stripe_unavailable: undefined }

const PATH: TomlPath = ['payments', 'stripe']
const FORMS = {
  secret_key: {
    form: /^(?:sk|rk)_(?:test|live)_\w+$/,
    example: 'sk_live_…, sk_test_…, rk_live_… or rk_test_…',
  },
  webhook_secret: { form: /^whsec_\S+$/, example: 'whsec_…' },
} as const

export const NEEDS_PUBLIC_URL =
  'needs public_url in [server], since Stripe sends people and webhooks there: set it to the https:// address of this gateway'

/** Reads the validated section. */
export function readStripe(
  text: Static<typeof StripeSchema> | undefined,
  context: SectionContext,
): ReadStripe {
  if (text === undefined) return NO_STRIPE
  if (context.server && context.server.public_url === undefined) context.report(PATH, NEEDS_PUBLIC_URL)
  for (const [at, currency] of (text.currencies ?? []).entries())
    if (!isCurrency(currency))
      context.report([...PATH, 'currencies', at], 'is not a currency: write its ISO 4217 code, such as EUR')
  const secret_key = secretOf(text, 'secret_key', context)
  const webhook_secret = secretOf(text, 'webhook_secret', context)
  if (secret_key === undefined || webhook_secret === undefined)
    return { stripe: undefined, stripe_unavailable: unsetOf(text, { secret_key, webhook_secret }) }
  const { currencies, methods, tax } = text
  return { stripe: { secret_key, webhook_secret, currencies, methods, tax }, stripe_unavailable: undefined }
}

type Secrets = Pick<Static<typeof StripeSchema>, 'secret_key' | 'webhook_secret'>

function secretOf(text: Secrets, field: keyof Secrets, context: SectionContext): string | undefined {
  const path = [...PATH, field]
  const { form, example } = FORMS[field]
  const secret = readSetSecret(text[field], path, 'nobody pays by card', context)
  if (secret !== undefined && !form.test(secret))
    context.report(path, `must be Stripe’s, ${example}, or "env:NAME"`)
  return secret
}

function unsetOf(text: Secrets, read: Readonly<Record<keyof Secrets, string | undefined>>): string {
  const unset = (['secret_key', 'webhook_secret'] as const)
    .filter((field) => read[field] === undefined)
    .map((field) => text[field].replace(/^env:/, '').trim())
  return `[payments.stripe] cannot be used: the environment variable ${unset.join(' and ')} is not set. Set it, or remove the section.`
}

/** The only origin to which the section's secrets are sent. */
export const STRIPE_ORIGIN = 'https://api.stripe.com'

/** Whether a key is of Stripe's test mode, in which no money moves. */
export const isTestKey = (secret_key: string): boolean => /^(?:sk|rk)_test_/.test(secret_key)
