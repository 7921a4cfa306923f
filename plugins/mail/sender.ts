// The sender of queued mails: several at once in the background, each by one gateway, with retries for a day.
import type { Catalogue } from '../../src/domain/catalogue.ts'
import { HOUR_MS } from '../../src/domain/ranges.ts'
import type { Logger } from '../../src/observe/log.ts'
import type { Db } from '../../src/store/db.ts'
import { composeMessage } from './message.ts'
import { isPurpose, PURPOSES } from './purposes.ts'
import { scrub } from './scrubbing.ts'
import { type MailSettings, mailSettings } from './settings.ts'
import { MAX_ATTEMPT_MS, MailRefusal, type SmtpClient } from './smtp.ts'
import { dueMails, type Outcome, recordOutcome, subscriptionOf, takeMail } from './store.ts'
import type { MailRow } from './tables.ts'

const MINUTE_MS = 60_000
/** The delay after each failed attempt; after the last one the mail has failed. */
export const RETRY_AFTER_MS = [
  MINUTE_MS,
  5 * MINUTE_MS,
  15 * MINUTE_MS,
  HOUR_MS,
  6 * HOUR_MS,
  6 * HOUR_MS,
  10 * HOUR_MS,
] as const

/** Longer than an attempt and its record take. Then another gateway may take the mail of one that died. */
export const TAKEN_FOR_MS = 2 * MAX_ATTEMPT_MS
/** An older mail is out of date, such as one that waited while mail was switched off. */
export const MAX_WAIT_MS = 48 * HOUR_MS
/** Parallel connections. */
const MAX_AT_ONCE = 5

interface SenderParts {
  db: Db
  catalogue: () => Catalogue
  clientOf: (settings: NonNullable<MailSettings['sending']>) => SmtpClient
  now: () => number
  newToken: () => string
  log: Pick<Logger, 'info' | 'warn'>
}

interface MailSender {
  /** Sends the mails that are due. Concurrent calls share one run. */
  sendDue(): Promise<void>
  /** Starts no further attempt, and waits for the current ones. */
  stop(): Promise<void>
}

export function createMailSender(parts: SenderParts): MailSender {
  const { db, catalogue, now } = parts
  let running: Promise<void> | undefined
  let is_stopping = false

  async function sendAll(): Promise<void> {
    while (!is_stopping && mailSettings.of(catalogue()).sending) {
      const due = await dueMails(db, now(), MAX_AT_ONCE)
      const taken = await Promise.all(due.map((mail) => sendOne(parts, mail, () => is_stopping)))
      if (!taken.includes(true)) return
    }
  }

  return {
    sendDue() {
      running ??= sendAll().finally(() => {
        running = undefined
      })
      return running
    },
    async stop() {
      is_stopping = true
      await running
    },
  }
}

/** @returns false if another gateway has taken the mail */
async function sendOne(parts: SenderParts, mail: MailRow, isStopping: () => boolean): Promise<boolean> {
  const { db, now } = parts
  const taken_until_ms = now() + TAKEN_FOR_MS
  if (isStopping() || !(await takeMail(db, mail, taken_until_ms))) return false
  const outcome = await attempt(parts, mail)
  await recordOutcome(db, mail.id, taken_until_ms, outcome)
  report(parts.log, mail, outcome)
  return true
}

/** @throws StorageFailure; every other failure is an outcome */
async function attempt(parts: SenderParts, mail: MailRow): Promise<Outcome> {
  const { catalogue, clientOf, now } = parts
  const current = catalogue()
  const { sending } = mailSettings.of(current)
  if (!sending) return retryOrFail(mail, 'Mail was switched off.', now())
  const { purpose } = mail
  if (!isPurpose(purpose)) return retryOrFail(mail, 'A newer version of the gateway queued it.', now())
  if (now() - mail.queued_at_ms > MAX_WAIT_MS)
    return { state: 'failed', failure: 'It waited for more than two days.' }
  if (mail.link_expires_at_ms !== null && mail.link_expires_at_ms <= now())
    return { state: 'cancelled', failure: 'Its link expired before it could be sent.' }
  const subscription = await subscriptionFor(parts, mail)
  if (typeof subscription?.unsubscribed_at_ms === 'number')
    return { state: 'cancelled', failure: 'The recipient unsubscribed from notices.' }
  try {
    const queued_mail = { ...mail, purpose, fields: JSON.parse(mail.fields) }
    const about = { catalogue: current, from: sending.from, unsubscribe_token: subscription?.token }
    await clientOf(sending).send(composeMessage(queued_mail, about))
    return { state: 'sent', sent_at_ms: now() }
  } catch (thrown) {
    const failure = scrub(thrown, mail.link, sending.server)
    if (thrown instanceof MailRefusal && thrown.is_permanent) return { state: 'failed', failure }
    return retryOrFail(mail, failure, now())
  }
}

function subscriptionFor({ db, newToken }: SenderParts, { purpose, account_id, recipient }: MailRow) {
  if (account_id === null || !isPurpose(purpose) || PURPOSES[purpose].kind !== 'notice') return undefined
  return subscriptionOf(db, { account_id, recipient }, newToken)
}

/** @param attempts before this one */
function retryOrFail({ attempts }: Pick<MailRow, 'attempts'>, failure: string, now_ms: number): Outcome {
  const after_ms = RETRY_AFTER_MS[attempts]
  return after_ms === undefined
    ? { state: 'failed', failure }
    : { state: 'queued', next_at_ms: now_ms + after_ms, failure }
}

function report(log: SenderParts['log'], { id, purpose, attempts }: MailRow, outcome: Outcome): void {
  const about = { mail: id, purpose, attempt: attempts + 1 }
  if (outcome.state === 'sent') log.info(about, 'a mail was sent')
  else if (outcome.state === 'cancelled')
    log.info({ ...about, cause: outcome.failure }, 'a mail was cancelled')
  else
    log.warn(
      { ...about, cause: outcome.failure },
      outcome.state === 'failed'
        ? 'a mail could not be sent and was given up'
        : 'a mail could not be sent; it is tried again',
    )
}
