// The reading of [alerts]: where they are sent, with which secret, and from which spending of a day on they are raised.
import type { Static } from '@sinclair/typebox'
import type { AlertSettings } from '../../src/domain/catalogue.ts'
import { parseUsd } from '../../src/domain/money.ts'
import { secretBytes } from '../../src/domain/webhook-secret.ts'
import type { AlertsSchema } from '../../src/catalogue/observe-schemas.ts'
import { type ProviderContext, readSecret, warnNotSet } from '../../src/catalogue/providers.ts'
import type { TomlPath } from '../../src/catalogue/toml.ts'

type AlertsText = Static<typeof AlertsSchema>
type Context = Pick<ProviderContext, 'env' | 'report' | 'warn'>

/** Reads the section, whose shape has been checked. A variable that is not set leaves out the webhook, and nothing else. */
export function readAlerts(text: AlertsText, context: Context): AlertSettings {
  const { account_daily_usd, key_daily_usd } = text
  return {
    webhook: readWebhook(text, context),
    account_daily_nanos: account_daily_usd === undefined ? undefined : parseUsd(account_daily_usd),
    key_daily_nanos: key_daily_usd === undefined ? undefined : parseUsd(key_daily_usd),
  }
}

const URL_PATH = ['alerts', 'webhook_url']
const SECRET_PATH = ['alerts', 'webhook_secret']

function readWebhook(
  { webhook_url, webhook_secret }: AlertsText,
  context: Context,
): AlertSettings['webhook'] {
  const secret = readSet(webhook_secret, SECRET_PATH, context)
  if (typeof secret === 'string' && secret !== '' && !secretBytes(secret))
    context.report(
      SECRET_PATH,
      'must be "whsec_" and 24 to 64 bytes in base64: make one with `echo whsec_$(openssl rand -base64 32)`',
    )
  const url = readSet(webhook_url, URL_PATH, context)
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

/** One that comes from the environment has not been seen by the schema. */
const isAddress = (url: string): boolean => /^https:\/\/\S+$/.test(url) && URL.canParse(url)

/** The value itself, or of its variable; undefined, and warned of, if that is not set. */
function readSet(written: string | undefined, path: TomlPath, context: Context): string | undefined {
  const read = written === undefined ? undefined : readSecret(written, path, context)
  if (typeof read !== 'object') return read
  warnNotSet(read, 'no alerts are sent', context.warn)
  return undefined
}
