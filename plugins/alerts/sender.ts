// Delivery of alerts to the operator's webhook in the background: signed, one at a time, with retries for a day.

import { HOUR_MS } from '../../src/domain/ranges.ts'
import type { PostWebhook } from '../../src/media/webhook-post.ts'
import type { Logger } from '../../src/observe/log.ts'
import type { Db } from '../../src/store/db.ts'
import type { AlertSettings } from './settings.ts'
import { dueSendings, recordTry, type SendingWithAlert, type TryResult, takeSending } from './store.ts'
import { bodyOf, deliver, GONE, webhookOf } from './webhook.ts'

interface SenderParts {
  db: Db
  settings: () => AlertSettings
  post: PostWebhook
  now: () => number
  log: Pick<Logger, 'info' | 'warn'>
  /** Whether other gateways send from the same table: each message is then leased before it is sent. */
  has_others?: boolean | undefined
}

const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
/** The delay after each failed attempt. After the last one the sender gives up. */
export const RETRY_AFTER_MS = [
  5 * SECOND_MS,
  MINUTE_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  6 * HOUR_MS,
  16 * HOUR_MS,
] as const

/** Lease on a message, longer than any attempt takes. When it expires, another gateway may send the message of a gateway that died. */
export const SENDING_LEASE_MS = MINUTE_MS

/** Messages per run; the rest wait for the next run. */
const MAX_PER_RUN = 20

/** Not sent, and not tried again. */
const GIVEN_UP = { due_at_ms: null, sent_at_ms: null }

interface Sender {
  /** Sends the messages that are due, or returns the run under way. */
  sendDue(): Promise<void>
  /** Aborts the attempt under way and waits for its end. The attempt is not recorded, so the next start repeats it. */
  stop(): Promise<void>
}

export function createSender({ db, settings, post, now, log, has_others = false }: SenderParts): Sender {
  let running: Promise<void> | undefined
  const stopping = new AbortController()

  async function sendAll(): Promise<void> {
    for (const sending of await dueSendings(db, now(), MAX_PER_RUN)) {
      // `stop` may have been called while rows were read or written.
      if (stopping.signal.aborted) return
      const leased_until_ms = now() + SENDING_LEASE_MS
      if (has_others && !(await takeSending(db, sending, leased_until_ms))) continue
      const result = await trySending(sending)
      // Ends the lease, so that another gateway can send the message at once.
      if (stopping.signal.aborted && has_others)
        await takeSending(db, { id: sending.id, due_at_ms: leased_until_ms }, now())
      if (stopping.signal.aborted) return
      await recordTry(db, result)
      report(sending, result)
    }
  }

  async function trySending({ id, tries, webhook_id, event, alert }: SendingWithAlert): Promise<TryResult> {
    const webhook = webhookOf(settings())
    if (!webhook) return { ...GIVEN_UP, id, status: null, failure: 'No webhook is set in [alerts].' }
    const { status, failure } = await deliver(post, {
      webhook,
      webhook_id,
      body: bodyOf(event, alert),
      at_ms: now(),
      signal: stopping.signal,
    })
    if (failure === null) return { id, due_at_ms: null, sent_at_ms: now(), status, failure }
    if (status === GONE)
      return { ...GIVEN_UP, id, status, failure: 'The receiver answered 410: it wants no more.' }
    const after_ms = RETRY_AFTER_MS[tries]
    if (after_ms === undefined) return { ...GIVEN_UP, id, status, failure }
    return { id, due_at_ms: now() + after_ms, sent_at_ms: null, status, failure }
  }

  function report(
    { event, webhook_id, alert: { rule, subject } }: SendingWithAlert,
    result: TryResult,
  ): void {
    const { status, failure, due_at_ms } = result
    const about = { webhook_id, event, rule, subject, status }
    if (failure === null) log.info(about, 'an alert was sent')
    else
      log.warn(
        { ...about, cause: failure },
        due_at_ms === null
          ? 'an alert could not be sent and was given up'
          : 'an alert could not be sent; it is tried again',
      )
  }

  return {
    sendDue() {
      running ??= sendAll().finally(() => {
        running = undefined
      })
      return running
    },
    async stop() {
      stopping.abort()
      await running
    },
  }
}
