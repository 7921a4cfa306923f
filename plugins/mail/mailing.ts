// The mails of a running gateway: the sending of queued ones, and notices to accounts.
import type { Gateway } from '../../src/app/surface/gateway.ts'
import { queueNotices } from './notices.ts'
import { createMailSender } from './sender.ts'
import { canMail } from './settings.ts'
import { smtpClient } from './smtp.ts'

export interface Mailing {
  /** Sends from now on. */
  begin(): void
  /** Begins no attempt any more. */
  end(): void
  close(): Promise<void>
}

/** A mail is sent within this time of its transaction, whichever process wrote it: a query by an index each second. */
const SEND_EVERY_MS = 1_000
/** For what accounts are told of: it reads many of them. */
const LOOK_EVERY_MS = 5 * 60_000
/** Long enough for a message that is being sent: one whose end is not awaited is sent again. */
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
    const run = logged(work, log, () => stopped !== undefined)
    const timer = setInterval(() => void run(), ms)
    timer.unref()
    timers.push(timer)
  }
  /** One looks for all: each notice is queued once whoever looks, so this is to spare the others' work. */
  const isToLook = () => canMail(catalogue()) && (operations.gateways()?.alive[0]?.is_this ?? true)
  const stop = () => {
    for (const timer of timers) clearInterval(timer)
    stopped ??= sender.stop().catch((cause) => log.error({ cause }, 'mails could not be sent'))
    return stopped
  }
  return {
    begin() {
      if (timers.length > 0) return
      every(SEND_EVERY_MS, () => sender.sendDue())
      every(LOOK_EVERY_MS, async () => isToLook() && (await queueNotices(db, now())))
    },
    end: () => void stop(),
    close: async () => {
      await Promise.race([stop(), Bun.sleep(MAX_STOP_MS)])
    },
  }
}

/** A database that is away is logged once until it is back. Once the gateway stops, it may be closed. */
function logged(
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
      if (!is_failing && !isStopped()) log.error({ cause }, 'mails could not be seen to')
      is_failing = true
    }
  }
}
