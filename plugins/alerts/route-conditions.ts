// Alert conditions of rejected provider keys, and of failing providers, models and routes. Pure.
import type { Trouble } from '../health/index.ts'
import type { Condition } from './steps.ts'

const RULES: Readonly<Record<Trouble['kind'], Condition['rule']>> = {
  key: 'rejected_key',
  provider: 'failing_provider',
  model: 'failing_model',
  route: 'failing_route',
}
export const ROUTE_RULES: readonly Condition['rule'][] = Object.values(RULES)

export const routeConditions = (troubles: readonly Trouble[]): Condition[] =>
  troubles.map(({ kind, subject, name, verb, detail }) => ({
    rule: RULES[kind],
    subject,
    account_id: null,
    sentence: `${name} ${verb}. ${detail}`,
  }))
