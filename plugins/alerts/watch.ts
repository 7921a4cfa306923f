// Alerts of a running gateway: what is looked at how often, what is raised or ended of it, and when that is sent.
import { lowBalances, spendConditions } from './account-conditions.ts'
import { failing } from './route-conditions.ts'
import { createSender } from './sender.ts'
import type { Condition, Rule } from './steps.ts'
import { openAlerts, recentAlerts, recentSendings, writeConditions } from './store.ts'
import { createWebhookTest, type TestParts } from './test-message.ts'
import type { Awaitable, Db } from '../../src/db/db.ts'
import type { PostWebhook } from '../../src/media/webhook-post.ts'
import type { Alerts } from '../../src/surface/alerts.ts'
import type { Gateway } from '../../src/surface/gateway.ts'
import { backupConditions, certificateConditions, diskConditions } from './machine-conditions.ts'

/** Alerts as the pages see them. */
export const alertsIn = (db: Db, parts: TestParts): Alerts => ({
  open: () => openAlerts(db),
  recent: (limit) => recentAlerts(db, limit),
  sendings: (limit) => recentSendings(db, limit),
  test: createWebhookTest(parts),
})

/** Others over the same database, where each alert is raised and sent once for all of them. */
export interface AlertsOfOthers {
  /** Which machine this is, of those that are looked at by themselves. */
  machine: string
  /** Whether a machine has a gateway that is alive. */
  isAlive: (machine: string) => boolean
  /** Whether this gateway looks at what is the same for all. */
  isEldest: () => boolean
}

export interface AlertParts {
  gateway: Pick<Gateway, 'exchange' | 'operations' | 'db'>
  post: PostWebhook
  /** Undefined where this gateway has the database alone. */
  others?: AlertsOfOthers | undefined
  /** How often it is looked whether something is to be raised. */
  every_ms?: number | undefined
}

export interface RunningAlerts {
  /** Looks at everything, and then begins to send what is due. For tests, too. */
  look(): Promise<void>
  /** Sends what is due, or waits for what is being sent. For tests, too. */
  send(): Promise<void>
  stop(): Promise<void>
}

const LOOK_EVERY_MS = 60_000
const SEND_EVERY_MS = 5_000
const MAX_STOP_MS = 1_000
/** Of what is read from disks and buckets. */
const SLOWLY_MS = 15 * 60_000
/** Of what reads many accounts. */
const NOT_OFTEN_MS = 5 * 60_000

interface Check {
  rules: readonly Rule[]
  /** Each gateway looks at its own machine. */
  of_machine?: boolean
  every_ms: number
  look: () => Awaitable<Condition[]>
}

/** Alerts of these are of one machine. */
const OF_MACHINES: ReadonlySet<string> = new Set<Rule>(['disk', 'certificate'])

/** Looks each minute. What cannot be looked at is logged, and its alerts stay as they are. */
export function watchAlerts({ gateway, post, others, every_ms = LOOK_EVERY_MS }: AlertParts): RunningAlerts {
  const { db, exchange } = gateway
  const { now, log, catalogue } = exchange
  const has_others = others !== undefined
  const sender = createSender({ db, settings: () => catalogue().alerts, post, now, log, has_others })
  const checks = checksOf(gateway, others?.machine).map((check) => ({ ...check, due_at_ms: 0 }))
  let is_stopping = false

  async function look(): Promise<void> {
    const looked_at = new Set<string>()
    const done: typeof checks = []
    const conditions: Condition[] = []
    const now_ms = now()
    for (const check of checks) {
      if (now_ms < check.due_at_ms || !isToLook(check, others)) continue
      try {
        conditions.push(...(await check.look()))
        for (const rule of check.rules) looked_at.add(rule)
        done.push(check)
      } catch (cause) {
        log.warn({ rules: check.rules, cause }, 'it could not be checked whether an alert is due')
      }
    }
    const newWebhookId = catalogue().alerts.webhook ? () => `msg_${crypto.randomUUID()}` : undefined
    const looking = { looked_at, isOwn: isOwnTo(others), now_ms, newWebhookId }
    const { raise } = await writeConditions(db, conditions, looking)
    for (const { rule, subject, sentence } of raise) log.warn({ rule, subject }, `alert: ${sentence}`)
    // What could not be written is looked at again next time.
    for (const check of done) check.due_at_ms = now_ms + check.every_ms
  }

  const logged = (work: Promise<void>) =>
    work.catch((cause) => {
      // What is dropped once it stops is the failure of a closed database.
      if (!is_stopping) log.error({ cause }, 'alerts could not be seen to')
    })
  const send = () => logged(sender.sendDue())
  let looking: Promise<void> | undefined
  const lookAndSend = () =>
    (looking ??= logged(look()).finally(() => {
      looking = undefined
      // A receiver that does not answer holds up the sendings, and no look.
      if (!is_stopping) void send()
    }))
  const timers = [
    setInterval(() => void lookAndSend(), every_ms),
    setInterval(() => void send(), SEND_EVERY_MS),
  ]
  for (const timer of timers) timer.unref()

  return {
    look: lookAndSend,
    send,
    async stop() {
      for (const timer of timers) clearInterval(timer)
      is_stopping = true
      // A bucket may take longer to say which backups it has.
      await Promise.race([Promise.all([looking, logged(sender.stop())]), Bun.sleep(MAX_STOP_MS)])
    },
  }
}

/** What is the same for all gateways one of them looks at. */
const isToLook = ({ of_machine }: Check, others: AlertsOfOthers | undefined): boolean =>
  !others || of_machine === true || others.isEldest()

/** An alert of another machine is its own to end, while it is alive. */
const isOwnTo =
  (others: AlertsOfOthers | undefined) =>
  ({ rule, subject }: { rule: string; subject: string }): boolean =>
    !others || !OF_MACHINES.has(rule) || subject === others.machine || !others.isAlive(subject)

function checksOf({ db, exchange, operations }: AlertParts['gateway'], machine = ''): Check[] {
  const { now, catalogue } = exchange
  const { data_folder } = operations
  return [
    { rules: ['low_balance'], every_ms: NOT_OFTEN_MS, look: () => lowBalances(db, now()) },
    {
      rules: ['account_spend', 'key_spend'],
      every_ms: 0,
      look: () => spendConditions(db, catalogue().alerts, now()),
    },
    {
      rules: ['failing_model', 'failing_provider', 'failing_route'],
      every_ms: 0,
      look: async () => failing(catalogue(), await operations.health()),
    },
    {
      rules: ['disk'],
      of_machine: true,
      every_ms: 0,
      look: () => diskConditions(catalogue(), { data_folder, machine }),
    },
    {
      rules: ['certificate'],
      of_machine: true,
      every_ms: SLOWLY_MS,
      look: () => certificateConditions(catalogue(), { data_folder, now, machine }),
    },
    {
      rules: ['backup'],
      every_ms: SLOWLY_MS,
      look: () => backupConditions(catalogue().backup, operations.backups, now()),
    },
  ]
}
