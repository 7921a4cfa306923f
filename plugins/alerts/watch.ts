// The alert watch of a running gateway: regular checks that raise and end alerts, and the sending of their messages.

import type { AlertOfCheck, Diagnosis } from '../../src/app/checks/check.ts'
import { checkContext } from '../../src/app/checks/look.ts'
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
  /** Returns the models, providers, routes and provider keys that fail now. */
  troubles?: () => Promise<readonly Trouble[]>
  post: PostWebhook
  /** Undefined if no other gateway can share the database. */
  others?: OtherGateways | undefined
  /** The time between checks. */
  every_ms?: number | undefined
}

export interface RunningAlerts {
  /** Checks all conditions, then starts to send the messages that are due. Tests call it. */
  look(): Promise<void>
  /** Sends the messages that are due, or waits for the run under way. Tests call it. */
  send(): Promise<void>
  stop(): Promise<void>
}

/** An outage raises an alert within a minute: failed answers are written within 10 s, checked within 15 s, and sent within another 5 s. */
const LOOK_EVERY_MS = 15_000
const MINUTE_MS = 60_000
const SEND_EVERY_MS = 5_000
const MAX_STOP_MS = 1_000
/** The balance check reads many accounts. */
const BALANCES_EVERY_MS = 5 * 60_000

interface Check {
  rules: readonly string[]
  /** Whether each gateway checks its own machine. */
  of_machine?: boolean
  every_ms: number
  look: () => Awaitable<Condition[]>
}

/** Starts the watch. It looks for due checks four times a minute. A check that throws is logged, and its alerts stay unchanged. */
export function watchAlerts({ gateway, settings, post, others, ...parts }: AlertParts): RunningAlerts {
  const { troubles = () => currentTroubles(gateway), every_ms = LOOK_EVERY_MS } = parts
  const { db, calls } = gateway
  const { now, log } = calls
  const has_others = others !== undefined
  const sender = createSender({ db, settings, post, now, log, has_others })
  const shared_checks = sharedChecks(gateway, settings, troubles)
  const checks = [...shared_checks, ...checksOfPlugins(gateway, others?.machine)].map((check) => ({
    ...check,
    due_at_ms: 0,
  }))
  const machine_rules = new Set(checks.flatMap(({ of_machine, rules }) => (of_machine ? rules : [])))
  let is_stopping = false

  async function look(): Promise<void> {
    const checked_rules = new Set<string>()
    const done: typeof checks = []
    const conditions: Condition[] = []
    const now_ms = now()
    for (const check of checks) {
      if (!isDueAgain(now_ms, check.due_at_ms, check.every_ms) || !checksHere(check, others)) continue
      try {
        conditions.push(...(await check.look()))
        for (const rule of check.rules) checked_rules.add(rule)
        done.push(check)
      } catch (cause) {
        log.warn({ rules: check.rules, cause }, 'it could not be checked whether an alert is due')
      }
    }
    const newWebhookId = settings().webhook ? () => `msg_${crypto.randomUUID()}` : undefined
    const scope = { checked_rules, isOwn: ownAlertFilter(others, machine_rules), now_ms, newWebhookId }
    const { raise } = await writeConditions(db, conditions, scope)
    for (const { rule, subject, sentence } of raise) log.warn({ rule, subject }, `alert: ${sentence}`)
    // Only after the write: if it fails, the next look repeats the checks.
    for (const check of done) check.due_at_ms = now_ms + check.every_ms
  }

  const logged = (work: Promise<void>) =>
    work.catch((cause) => {
      // During a stop the database may already be closed.
      if (!is_stopping) log.error({ cause }, 'alerts could not be checked or sent')
    })
  const send = () => logged(sender.sendDue())
  let looking: Promise<void> | undefined
  const lookAndSend = () =>
    (looking ??= logged(look()).finally(() => {
      looking = undefined
      // Not awaited: a receiver that does not answer must not delay the next check.
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
      // A check that lists a bucket of backups may take longer.
      await Promise.race([Promise.all([looking, logged(sender.stop())]), Bun.sleep(MAX_STOP_MS)])
    },
  }
}

/** Conditions that all gateways share are checked by the oldest one only. */
const checksHere = ({ of_machine }: Check, others: OtherGateways | undefined): boolean =>
  !others || of_machine === true || others.isEldest()

/** Only the gateway of a machine ends that machine's alerts, while it is alive. */
const ownAlertFilter =
  (others: OtherGateways | undefined, machine_rules: ReadonlySet<string>) =>
  ({ rule, subject }: { rule: string; subject: string }): boolean =>
    !others || !machine_rules.has(rule) || subject === others.machine || !others.isAlive(subject)

function sharedChecks(
  { db, calls: { now } }: AlertParts['gateway'],
  settings: () => AlertSettings,
  troubles: () => Promise<readonly Trouble[]>,
): Check[] {
  return [
    { rules: ['low_balance'], every_ms: BALANCES_EVERY_MS, look: () => lowBalances(db, now()) },
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

/** The checks of plugins that raise alerts. @param machine as in `conditionsOf` */
function checksOfPlugins(
  { calls: { catalogue, now }, operations: { checks, data_folder } }: AlertParts['gateway'],
  machine = '',
): Check[] {
  return checks.flatMap(({ when, look, alert }): Check[] => {
    if (!alert || !when.includes('alert')) return []
    const { rule, of_machine = false, every_ms = MINUTE_MS } = alert
    const lookNow = () => look(checkContext({ catalogue, data_folder, now }), 'alert')
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

/** Converts the findings of a plugin's check into conditions. @param machine this machine if there are several gateways; otherwise empty */
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

/** Makes sentences of a finding and its advice. The doctor's report prints the same finding after the name of the check. */
const sentenceOf = (found: string, advice: string): string =>
  `${capital(found)}${found.endsWith('.') ? '' : '.'} ${advice}`.trim()
