// The running part of mail: sends queued mails, and queues notices to accounts.
import type { Gateway } from '../../src/app/surface/gateway.ts'
import { queueNotices } from './notices.ts'
import { createMailSender } from './sender.ts'
import { canMail } from './settings.ts'
import { smtpClient } from './smtp.ts'

export interface Mailing {
  /** Starts sending. */
  begin(): void
  /** Starts no further attempt. */
  end(): void
  close(): Promise<void>
}

/** Queued mails are polled at this interval, by an indexed query: other processes queue mails, too. */
const SEND_EVERY_MS = 1_000
/** Notices are looked for at this interval, since the queries read many accounts. */
const NOTICES_EVERY_MS = 5 * 60_000
/** Enough to finish a message that is being sent; an interrupted one is sent again. */
const MAX_STOP_MS = 5_000
const TOKEN_BYTES = 24

export function openMailing(gateway: Pick<Gateway, 'calls' | 'operations' | 'people' | 'db'>): Mailing {
  const { db, calls, operations, people } = gateway
  const { now, log, catalogue } = calls
  const newToken = () => Buffer.from(people.randomBytes(TOKEN_BYTES)).toString('base64url')
  const sender = createMailSender({
    db,
    catalogue,
    now,
    newToken,
    log,
    clientOf: ({ server }) => smtpClient(server),
  })
  const timers: NodeJS.Timeout[] = []
  let stopped: Promise<void> | undefined
  const every = (ms: number, work: () => Promise<unknown>) => {
    const run = logFailures(work, log, () => stopped !== undefined)
    const timer = setInterval(() => void run(), ms)
    timer.unref()
    timers.push(timer)
  }
  /** One gateway queues the notices for all. Each notice is queued once in any case: this only avoids repeated queries. */
  const shouldQueueNotices = () => canMail(catalogue()) && (operations.gateways()?.alive[0]?.is_this ?? true)
  const stop = () => {
    for (const timer of timers) clearInterval(timer)
    stopped ??= sender.stop().catch((cause) => log.error({ cause }, 'mails could not be sent'))
    return stopped
  }
  return {
    begin() {
      if (timers.length > 0) return
      every(SEND_EVERY_MS, () => sender.sendDue())
      every(NOTICES_EVERY_MS, async () => shouldQueueNotices() && (await queueNotices(db, now())))
    },
    end: () => void stop(),
    close: async () => {
      await Promise.race([stop(), Bun.sleep(MAX_STOP_MS)])
    },
  }
}

/** Logs a database failure once until the work succeeds again, and not at all after the stop, when the database may be closed. */
function logFailures(
  work: () => Promise<unknown>,
  log: Pick<Gateway['calls']['log'], 'error'>,
  isStopped: () => boolean,
): () => Promise<void> {
  let is_failing = false
  return async () => {
    try {
      await work()
      is_failing = false
    } catch (cause) {
      if (!is_failing && !isStopped()) log.error({ cause }, 'mails could not be processed')
      is_failing = true
    }
  }
}
