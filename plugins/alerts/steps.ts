// The state changes of alerts: which conditions raise a new alert, and which open alerts end. Pure.

/** A present problem that the operator should know about. */
export interface Condition {
  /** `low_balance`, `account_spend`, `key_spend`, `failing_model`, `failing_provider`, `failing_route`, `rejected_key`, or the rule of a check. */
  rule: string
  /** Identifies the alert together with `rule`; empty for the gateway as a whole. */
  subject: string
  /** The account concerned, also for a condition of its key. */
  account_id: number | null
  sentence: string
}

export interface OpenAlert {
  id: number
  rule: string
  subject: string
  over_since_ms: number | null
}

export interface Steps {
  raise: Condition[]
  /** Alerts whose condition no longer holds: they end after END_AFTER_MS. */
  over: number[]
  /** Alerts whose condition holds again before they ended. */
  back: number[]
  end: number[]
}

/** A condition that returns within this time continues its alert. */
export const END_AFTER_MS = 10 * 60_000
/** Open alerts per rule, to keep the page readable. Further conditions raise alerts once others have ended. */
export const MAX_OPEN = 50

export interface CheckedScope {
  /** The rules that were checked. Alerts of other rules stay unchanged. */
  checked_rules: ReadonlySet<string>
  /** Whether this gateway may end the alert, if several gateways check different machines. Default: always. */
  isOwn?: ((alert: Pick<OpenAlert, 'rule' | 'subject'>) => boolean) | undefined
  now_ms: number
}

/** Returns the changes of alerts to write. @param conditions the conditions of the checked rules that hold now */
export function stepsOf(
  open: readonly OpenAlert[],
  conditions: readonly Condition[],
  { checked_rules, isOwn = () => true, now_ms }: CheckedScope,
): Steps {
  const keyOf = ({ rule, subject }: { rule: string; subject: string }) => `${rule} ${subject}`
  const known = new Set(open.map(keyOf))
  const now = new Map(conditions.map((condition) => [keyOf(condition), condition]))
  const steps: Steps = { raise: [], over: [], back: [], end: [] }
  const counts = new Map<string, number>()
  for (const alert of open) {
    const is_checked = checked_rules.has(alert.rule) && isOwn(alert)
    const holds = !is_checked || now.has(keyOf(alert))
    const is_over = alert.over_since_ms !== null
    if (!holds && alert.over_since_ms !== null && now_ms - alert.over_since_ms >= END_AFTER_MS)
      steps.end.push(alert.id)
    else {
      counts.set(alert.rule, (counts.get(alert.rule) ?? 0) + 1)
      if (!holds && !is_over) steps.over.push(alert.id)
      if (holds && is_over && is_checked) steps.back.push(alert.id)
    }
  }
  for (const [key, condition] of now) {
    const count = counts.get(condition.rule) ?? 0
    if (known.has(key) || count >= MAX_OPEN) continue
    counts.set(condition.rule, count + 1)
    steps.raise.push(condition)
  }
  return steps
}
