// The reading of [alerts]: where they are sent, with which secret, and from which spending of a day on they are raised.
import type { Static } from '@sinclair/typebox'
import type { AlertSettings } from '../domain/catalogue.ts'
import { parseUsd } from '../domain/money.ts'
import { secretBytes } from '../domain/webhook-secret.ts'
import type { AlertsSchema } from './observe-schemas.ts'
import { type ProviderContext, readSecret, warnNotSet } from './providers.ts'

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

function readWebhook(
  { webhook_url, webhook_secret }: AlertsText,
  context: Context,
): AlertSettings['webhook'] {
  const path = ['alerts', 'webhook_secret']
  const secret = webhook_secret === undefined ? undefined : readSecret(webhook_secret, path, context)
  if (typeof secret === 'object') {
    warnNotSet(secret, 'no alerts are sent', context.warn)
    return undefined
  }
  if (secret !== undefined && secret !== '' && !secretBytes(secret))
    context.report(
      path,
      'must be "whsec_" and 24 to 64 bytes in base64: make one with `echo whsec_$(openssl rand -base64 32)`',
    )
  if (webhook_url === undefined) return undefined
  if (!URL.canParse(webhook_url))
    context.report(
      ['alerts', 'webhook_url'],
      'must be a complete address, such as "https://hooks.example.com/tollgate"',
    )
  if (secret === undefined)
    context.report(
      ['alerts', 'webhook_url'],
      'needs a webhook_secret beside it, so that the receiver can check who sends: make one with `echo whsec_$(openssl rand -base64 32)`',
    )
  return secret === undefined ? undefined : { url: webhook_url, secret }
}
