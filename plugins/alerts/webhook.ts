// A webhook's message: its body, and its signature as Standard Webhooks have it
// (https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md). Pure.
import { createHmac } from 'node:crypto'

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

/** The body: an event, and the alert as it was then. */
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

/** The body of a test: the shape of an alert's, so that receivers read it, with a type and a rule of its own. */
export const testBody = (at_ms: number): string =>
  JSON.stringify({
    type: 'alert.test',
    timestamp: isoOf(at_ms),
    data: {
      id: 0,
      rule: 'test',
      subject: '',
      sentence: 'This is a test from Tollgate. Nothing needs to be done.',
      raised_at: isoOf(at_ms),
      ended_at: null,
    },
  })

export interface Signed {
  webhook_id: string
  /** When this try is made. */
  at_ms: number
  body: string
  /** As of `secretBytes`. */
  secret: Uint8Array
}

/** The three headers of a message: the same id in each try, the time of this one, and the signature of both with the body. */
export function signedHeaders({ webhook_id, at_ms, body, secret }: Signed): Record<string, string> {
  const timestamp = String(Math.floor(at_ms / 1_000))
  const signature = createHmac('sha256', secret).update(`${webhook_id}.${timestamp}.${body}`).digest('base64')
  return {
    'webhook-id': webhook_id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  }
}
