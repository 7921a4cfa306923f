// The steps of alerts: conditions that raise one, alerts that go on, alerts that are over. Pure.

/** Something that the operator should know of, at this moment. */
export interface Condition {
  /** `low_balance`, `account_spend`, `key_spend`, `failing_model`, `failing_provider`, `failing_route`, `rejected_key`, `backup`, or that of a check. */
  rule: string
  /** Together with the rule it says which alert this is; empty for the gateway as a whole. */
  subject: string
  /** Its account, or that of its key. */
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
  /** Alerts that are over since this moment. */
  over: number[]
  /** Alerts that came back before they had ended. */
  back: number[]
  end: number[]
}

/** A condition that comes and goes within this time is one alert. */
export const END_AFTER_MS = 10 * 60_000
/** Of one rule, at a time: a page and a person take no more. Others are raised once there is room. */
export const MAX_OPEN = 50

export interface Looking {
  /** The rules that could be looked at: alerts of others go on as they are. */
  looked_at: ReadonlySet<string>
  /** Whether an alert of these rules could be, where several gateways look at different things. Default: each. */
  isOwn?: ((alert: Pick<OpenAlert, 'rule' | 'subject'>) => boolean) | undefined
  now_ms: number
}

/** @param conditions those at this moment, of the rules that could be looked at */
export function stepsOf(
  open: readonly OpenAlert[],
  conditions: readonly Condition[],
  { looked_at, isOwn = () => true, now_ms }: Looking,
): Steps {
  const nameOf = ({ rule, subject }: { rule: string; subject: string }) => `${rule} ${subject}`
  const known = new Set(open.map(nameOf))
  const now = new Map(conditions.map((condition) => [nameOf(condition), condition]))
  const steps: Steps = { raise: [], over: [], back: [], end: [] }
  const counts = new Map<string, number>()
  for (const alert of open) {
    const is_looked_at = looked_at.has(alert.rule) && isOwn(alert)
    const holds = !is_looked_at || now.has(nameOf(alert))
    const is_over = alert.over_since_ms !== null
    if (!holds && alert.over_since_ms !== null && now_ms - alert.over_since_ms >= END_AFTER_MS)
      steps.end.push(alert.id)
    else {
      counts.set(alert.rule, (counts.get(alert.rule) ?? 0) + 1)
      if (!holds && !is_over) steps.over.push(alert.id)
      if (holds && is_over && is_looked_at) steps.back.push(alert.id)
    }
  }
  for (const [name, condition] of now) {
    const count = counts.get(condition.rule) ?? 0
    if (known.has(name) || count >= MAX_OPEN) continue
    counts.set(condition.rule, count + 1)
    steps.raise.push(condition)
  }
  return steps
}
