// The watch of a running gateway: it checks conditions regularly, raises and ends alerts, and sends them.

import type { AlertOfCheck, Diagnosis } from '../../src/app/checks/check.ts'
import { patientOf } from '../../src/app/checks/look.ts'
import type { Gateway } from '../../src/app/surface/gateway.ts'
import type { PostWebhook } from '../../src/media/webhook-post.ts'
import type { Awaitable } from '../../src/store/db.ts'
import { capital } from '../../src/utilities/capital.ts'
import { isDueAgain } from '../../src/utilities/every.ts'
import { currentTroubles, type Trouble } from '../health/index.ts'
import { lowBalances, spendConditions } from './account-conditions.ts'
import type { OtherGateways } from './other-gateways.ts'
import { ROUTE_RULES, routeConditions } from './route-conditions.ts'
import { createSender } from './sender.ts'
import type { AlertSettings } from './settings.ts'
import type { Condition } from './steps.ts'
import { writeConditions } from './store.ts'

interface AlertParts {
  gateway: Pick<Gateway, 'calls' | 'operations' | 'db'>
  settings: () => AlertSettings
  /** What fails of models, providers, routes and keys. */
  troubles?: () => Promise<readonly Trouble[]>
  post: PostWebhook
  /** Undefined where this gateway has the database alone. */
  others?: OtherGateways | undefined
  /** The time between looks. */
  every_ms?: number | undefined
}

export interface RunningAlerts {
  /** Checks all conditions, and then begins to send the messages that are due. For tests, too. */
  look(): Promise<void>
  /** Sends the messages that are due, or waits for a sending under way. For tests, too. */
  send(): Promise<void>
  stop(): Promise<void>
}

/** An outage is an alert within a minute: its answers are written within 10 s, looked at in these, and sent in 5 more. */
const LOOK_EVERY_MS = 15_000
const MINUTE_MS = 60_000
const SEND_EVERY_MS = 5_000
const MAX_STOP_MS = 1_000
/** For checks that read many accounts. */
const NOT_OFTEN_MS = 5 * 60_000

interface Check {
  rules: readonly string[]
  /** Each gateway looks at its own machine. */
  of_machine?: boolean
  every_ms: number
  look: () => Awaitable<Condition[]>
}

/** Looks four times a minute; most checks are due each minute. A check that fails is logged, and its alerts stay unchanged. */
export function watchAlerts({ gateway, settings, post, others, ...parts }: AlertParts): RunningAlerts {
  const { troubles = () => currentTroubles(gateway), every_ms = LOOK_EVERY_MS } = parts
  const { db, calls } = gateway
  const { now, log } = calls
  const has_others = others !== undefined
  const sender = createSender({ db, settings, post, now, log, has_others })
  const of_all = checksOf(gateway, settings, troubles)
  const checks = [...of_all, ...checksOfPlugins(gateway, others?.machine)].map((check) => ({
    ...check,
    due_at_ms: 0,
  }))
  const of_machines = new Set(checks.flatMap(({ of_machine, rules }) => (of_machine ? rules : [])))
  let is_stopping = false

  async function look(): Promise<void> {
    const looked_at = new Set<string>()
    const done: typeof checks = []
    const conditions: Condition[] = []
    const now_ms = now()
    for (const check of checks) {
      if (!isDueAgain(now_ms, check.due_at_ms, check.every_ms) || !isToLook(check, others)) continue
      try {
        conditions.push(...(await check.look()))
        for (const rule of check.rules) looked_at.add(rule)
        done.push(check)
      } catch (cause) {
        log.warn({ rules: check.rules, cause }, 'it could not be checked whether an alert is due')
      }
    }
    const newWebhookId = settings().webhook ? () => `msg_${crypto.randomUUID()}` : undefined
    const looking = { looked_at, isOwn: isOwnTo(others, of_machines), now_ms, newWebhookId }
    const { raise } = await writeConditions(db, conditions, looking)
    for (const { rule, subject, sentence } of raise) log.warn({ rule, subject }, `alert: ${sentence}`)
    // After a failed write the next look repeats the checks.
    for (const check of done) check.due_at_ms = now_ms + check.every_ms
  }

  const logged = (work: Promise<void>) =>
    work.catch((cause) => {
      // Once it stops, the database may be closed.
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

/** One gateway looks at the conditions that are the same for all. */
const isToLook = ({ of_machine }: Check, others: OtherGateways | undefined): boolean =>
  !others || of_machine === true || others.isEldest()

/** An alert of another machine is its own to end, while it is alive. */
const isOwnTo =
  (others: OtherGateways | undefined, of_machines: ReadonlySet<string>) =>
  ({ rule, subject }: { rule: string; subject: string }): boolean =>
    !others || !of_machines.has(rule) || subject === others.machine || !others.isAlive(subject)

function checksOf(
  { db, calls: { now } }: AlertParts['gateway'],
  settings: () => AlertSettings,
  troubles: () => Promise<readonly Trouble[]>,
): Check[] {
  return [
    { rules: ['low_balance'], every_ms: NOT_OFTEN_MS, look: () => lowBalances(db, now()) },
    {
      rules: ['account_spend', 'key_spend'],
      every_ms: MINUTE_MS,
      look: () => spendConditions(db, settings(), now()),
    },
    {
      rules: ROUTE_RULES,
      every_ms: 0,
      look: async () => routeConditions(await troubles()),
    },
  ]
}

/** The checks of plugins that raise alerts. @param machine the name of this one, where there are several */
function checksOfPlugins(
  { calls: { catalogue, now }, operations: { checks, data_folder } }: AlertParts['gateway'],
  machine = '',
): Check[] {
  return checks.flatMap(({ when, look, alert }): Check[] => {
    if (!alert || !when.includes('alert')) return []
    const { rule, of_machine = false, every_ms = MINUTE_MS } = alert
    const lookNow = () => look(patientOf({ catalogue, data_folder, now }), 'alert')
    return [
      {
        rules: [rule],
        of_machine,
        every_ms,
        look: async () => conditionsOf(alert, await lookNow(), machine),
      },
    ]
  })
}

/** What a check of a plugin finds. @param machine its name where several gateways check theirs; empty where there is one */
function conditionsOf(
  { rule, title, of_machine = false, each = false }: AlertOfCheck,
  diagnoses: readonly Diagnosis[],
  machine: string,
): Condition[] {
  const bad = diagnoses.filter(({ level }) => level !== 'ok')
  const named = of_machine && machine !== '' ? `${title} on ${machine}` : title
  const lead = named === undefined ? '' : `${named}: `
  return (each ? bad : bad.slice(0, 1)).map(({ check, found, advice, account_id = null }) => ({
    rule,
    subject: each ? check : of_machine ? machine : '',
    account_id,
    sentence: sentenceOf(`${lead}${found}`, advice ?? ''),
  }))
}

/** As a message of its own: a report has the same words behind the name of their check. */
const sentenceOf = (found: string, advice: string): string =>
  `${capital(found)}${found.endsWith('.') ? '' : '.'} ${advice}`.trim()
