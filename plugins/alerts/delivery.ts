// The delivery of one message to the webhook: signed, posted once, and its result.
import { secretBytes } from '../../src/domain/webhook-secret.ts'
import type { PostWebhook, WebhookMessage } from '../../src/media/webhook-post.ts'
import { messageOf } from '../../src/utilities/thrown.ts'
import type { AlertSettings } from './settings.ts'
import { signedHeaders } from './webhook.ts'

export interface Delivery {
  /** The receiver's answer; null if it could not be reached. */
  status: number | null
  /** Null: it was received. */
  failure: string | null
}

export interface Webhook {
  url: string
  /** As of `secretBytes`. */
  secret: Uint8Array
}

/** The webhook of the settings, if one is set. */
export function webhookOf({ webhook }: Pick<AlertSettings, 'webhook'>): Webhook | undefined {
  const secret = webhook && secretBytes(webhook.secret)
  return secret && { url: webhook.url, secret }
}

interface Delivering {
  webhook: Webhook
  webhook_id: string
  body: WebhookMessage['body']
  /** When this try is made. */
  at_ms: number
  signal?: AbortSignal | undefined
}

/** The receiver wants no more messages: https://www.rfc-editor.org/rfc/rfc9110#name-410-gone */
export const GONE = 410
const MAX_FAILURE_CHARS = 300

/** Any 2xx is received. Never throws for the receiver's doing. */
export async function deliver(
  post: PostWebhook,
  { webhook: { url, secret }, webhook_id, body, at_ms, signal }: Delivering,
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
