// The settings section [alerts]: webhook address, signing secret, and the daily spending that raises an alert.
import { type Static, Type } from '@sinclair/typebox'
import { readUsd } from '../../src/catalogue/prices.ts'
import { closed } from '../../src/catalogue/schema-parts.ts'
import { defineSection, type SectionContext } from '../../src/catalogue/sections.ts'
import { readSetSecret } from '../../src/catalogue/set-secret.ts'
import type { TomlPath } from '../../src/catalogue/toml.ts'
import type { Nanos } from '../../src/domain/money.ts'
import { mayHaveToken, secretBytes } from '../../src/domain/webhook-secret.ts'

const MAX_USD = 1_000_000

const Usd = (description: string) =>
  Type.Optional(
    Type.Number({
      exclusiveMinimum: 0,
      maximum: MAX_USD,
      must: `an amount in USD above 0, up to ${MAX_USD}`,
      description,
    }),
  )

const AlertsSchema = Type.Object(
  {
    webhook_url: Type.Optional(
      Type.String({
        pattern: '^(https://[^\\s]+|env:.*)$',
        maxLength: 2_048,
        must: 'an https:// address of a public server, such as "https://hooks.example.com/tollgate", or "env:NAME"',
        description:
          'where alerts are sent when they are raised and when they end, or "env:NAME"; if it has a path or query, it is hidden like a key once saved',
      }),
    ),
    webhook_secret: Type.Optional(
      Type.String({
        description:
          'the secret that signs alerts, such as "whsec_…"; "env:NAME" reads an environment variable',
      }),
    ),
    account_daily_usd: Usd('alert when an account spends more in a day (UTC)'),
    key_daily_usd: Usd('alert when a key spends more in a day (UTC)'),
  },
  closed,
)

export interface AlertSettings {
  /** Undefined if alerts appear in the console only. */
  readonly webhook: { readonly url: string /** `whsec_…` */; readonly secret: string } | undefined
  /** An account that spends more in a day (UTC) raises an alert; undefined for no limit. */
  readonly account_daily_nanos: Nanos | undefined
  readonly key_daily_nanos: Nanos | undefined
}

type AlertsText = Static<typeof AlertsSchema>

/** Reads the section after schema validation. An unset environment variable disables the webhook only. */
function readAlerts(text: AlertsText, context: SectionContext): AlertSettings {
  const daily = (name: 'account_daily_usd' | 'key_daily_usd') => {
    const usd = text[name]
    return usd === undefined ? undefined : readUsd(usd, ['alerts', name], context.report, MAX_USD)
  }
  return {
    webhook: readWebhook(text, context),
    account_daily_nanos: daily('account_daily_usd'),
    key_daily_nanos: daily('key_daily_usd'),
  }
}

const URL_PATH = ['alerts', 'webhook_url']
const SECRET_PATH = ['alerts', 'webhook_secret']

function readWebhook(
  { webhook_url, webhook_secret }: AlertsText,
  context: SectionContext,
): AlertSettings['webhook'] {
  const secret = readText(webhook_secret, SECRET_PATH, context)
  if (typeof secret === 'string' && secret !== '' && !secretBytes(secret))
    context.report(
      SECRET_PATH,
      'must be "whsec_" and 24 to 64 bytes in base64: make one with `echo whsec_$(openssl rand -base64 32)`',
    )
  const url = readText(webhook_url, URL_PATH, context)
  if (url !== undefined && url !== '' && !isAddress(url))
    context.report(
      URL_PATH,
      'must be a complete https:// address, such as "https://hooks.example.com/tollgate"',
    )
  if (webhook_url !== undefined && webhook_secret === undefined)
    context.report(
      URL_PATH,
      'needs a webhook_secret beside it, so that the receiver can check who sends: make one with `echo whsec_$(openssl rand -base64 32)`',
    )
  return url === undefined || secret === undefined ? undefined : { url, secret }
}

/** The schema checks the text in the catalogue; this checks the value of an environment variable, too. */
const isAddress = (url: string): boolean => /^https:\/\/\S+$/.test(url) && URL.canParse(url)

/** Returns the value, or that of its environment variable. Returns undefined, with a warning, if the variable is not set. */
function readText(written: string | undefined, path: TomlPath, context: SectionContext): string | undefined {
  return written === undefined ? undefined : readSetSecret(written, path, 'no alerts are sent', context)
}

const isWebhookUrl = ([name]: TomlPath): boolean => name === 'webhook_url'

export const alertSettings = defineSection({
  name: 'alerts',
  schema: AlertsSchema,
  read: readAlerts,
  secrets: {
    at: (path) => (isWebhookUrl(path) || path[0] === 'webhook_secret' ? 'the alerts' : undefined),
    isSecret: (path, written) => !isWebhookUrl(path) || mayHaveToken(written),
    in({ webhook }) {
      if (!webhook) return []
      return mayHaveToken(webhook.url) ? [webhook.secret, webhook.url] : [webhook.secret]
    },
  },
})
