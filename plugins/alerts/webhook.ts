// Webhook messages: body, delivery, and signature according to Standard Webhooks
// (https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md).
import { createHmac } from 'node:crypto'
import { secretBytes } from '../../src/domain/webhook-secret.ts'
import type { PostWebhook, WebhookMessage } from '../../src/media/webhook-post.ts'
import { messageOf } from '../../src/utilities/thrown.ts'
import type { AlertSettings } from './settings.ts'

export interface Delivery {
  /** The HTTP status of the receiver; null if it could not be reached. */
  status: number | null
  /** Null if the message was received. */
  failure: string | null
}

interface Webhook {
  url: string
  /** As returned by `secretBytes`. */
  secret: Uint8Array
}

/** The webhook of the settings, if one is set. */
export function webhookOf({ webhook }: Pick<AlertSettings, 'webhook'>): Webhook | undefined {
  const secret = webhook && secretBytes(webhook.secret)
  return secret && { url: webhook.url, secret }
}

interface DeliveryRequest {
  webhook: Webhook
  webhook_id: string
  body: WebhookMessage['body']
  /** The time of this attempt. */
  at_ms: number
  signal?: AbortSignal | undefined
}

/** Status of a receiver that wants no more messages: https://www.rfc-editor.org/rfc/rfc9110#name-410-gone */
export const GONE = 410
const MAX_FAILURE_CHARS = 300

/** Posts a message. Any 2xx status counts as received; a failure of the receiver is returned, not thrown. */
export async function deliver(
  post: PostWebhook,
  { webhook: { url, secret }, webhook_id, body, at_ms, signal }: DeliveryRequest,
): Promise<Delivery> {
  try {
    const headers = signedHeaders({ webhook_id, at_ms, body, secret })
    const status = await post(url, { headers, body }, signal)
    const failure = status >= 200 && status < 300 ? null : `The receiver answered ${status}.`
    return { status, failure }
  } catch (thrown) {
    return { status: null, failure: messageOf(thrown).slice(0, MAX_FAILURE_CHARS) }
  }
}

/** The fields of an alert in its message. */
interface AlertFields {
  id: number
  rule: string
  subject: string
  sentence: string
  raised_at_ms: number
  ended_at_ms: number | null
}

export type AlertEvent = 'raised' | 'ended'

const isoOf = (time_ms: number): string => new Date(time_ms).toISOString()

/** The JSON body for an event, with the alert as it was at that time. */
export const bodyOf = (event: AlertEvent, alert: AlertFields): string =>
  JSON.stringify({
    type: `alert.${event}`,
    timestamp: isoOf(event === 'ended' ? (alert.ended_at_ms ?? alert.raised_at_ms) : alert.raised_at_ms),
    data: {
      id: alert.id,
      rule: alert.rule,
      subject: alert.subject,
      sentence: alert.sentence,
      raised_at: isoOf(alert.raised_at_ms),
      ended_at: event === 'ended' && alert.ended_at_ms !== null ? isoOf(alert.ended_at_ms) : null,
    },
  })

/** The JSON body of a test, in the format of an alert so that receivers can parse it, with its own type and rule. */
export const testBody = (at_ms: number): string =>
  JSON.stringify({
    type: 'alert.test',
    timestamp: isoOf(at_ms),
    data: {
      id: 0,
      rule: 'test',
      subject: '',
      sentence: 'This is a test from Tollgate. No action is needed.',
      raised_at: isoOf(at_ms),
      ended_at: null,
    },
  })

interface SignedParts {
  webhook_id: string
  /** The time of this attempt. */
  at_ms: number
  body: string
  /** As returned by `secretBytes`. */
  secret: Uint8Array
}

/** The three headers of a message: its id, the same in each attempt; the time of this attempt; and the signature over both and the body. */
export function signedHeaders({ webhook_id, at_ms, body, secret }: SignedParts): Record<string, string> {
  const timestamp = String(Math.floor(at_ms / 1_000))
  const signature = createHmac('sha256', secret).update(`${webhook_id}.${timestamp}.${body}`).digest('base64')
  return {
    'webhook-id': webhook_id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  }
}
