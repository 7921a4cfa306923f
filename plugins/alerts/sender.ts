// The sending of alerts to the operator's webhook: signed, tried again for a day, one at a time, beside everything else.

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
  /** Other gateways send the same: each sending is taken before it is sent. */
  has_others?: boolean | undefined
}

const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
/** The waits after each failed try; after the last one the message is given up. */
export const RETRY_AFTER_MS = [
  5 * SECOND_MS,
  MINUTE_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  6 * HOUR_MS,
  16 * HOUR_MS,
] as const

/** Longer than any try takes. After it other gateways may take the messages of a gateway that died. */
export const TAKEN_FOR_MS = MINUTE_MS

/** At once; the others wait for the next time. */
const MAX_AT_ONCE = 20

/** Not sent, and not tried again. */
const GIVEN_UP = { due_at_ms: null, sent_at_ms: null }

interface Sender {
  /** Sends the messages that are due, unless it does so already. */
  sendDue(): Promise<void>
  /** Ends the try under way, and waits for its end. It does not count: the next start makes it again. */
  stop(): Promise<void>
}

export function createSender({ db, settings, post, now, log, has_others = false }: SenderParts): Sender {
  let running: Promise<void> | undefined
  const stopping = new AbortController()

  async function sendAll(): Promise<void> {
    for (const sending of await dueSendings(db, now(), MAX_AT_ONCE)) {
      // It posts nothing once it stops, which may have begun while rows were read or written.
      if (stopping.signal.aborted) return
      const taken_until_ms = now() + TAKEN_FOR_MS
      if (has_others && !(await takeSending(db, sending, taken_until_ms))) continue
      const result = await trySending(sending)
      // For the others, at once.
      if (stopping.signal.aborted && has_others)
        await takeSending(db, { id: sending.id, due_at_ms: taken_until_ms }, now())
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
