// Conditions of models, providers and routes that answer no call. Pure.
import type { Catalogue } from '../../src/domain/catalogue.ts'
import { type Counts, type Health, type HealthNow, totalOf } from '../health/index.ts'
import type { Condition } from './steps.ts'

/** Fewer raise no alert: the pages show them. */
const MIN_FAILED = 3

type Unit = 'calls' | 'requests'

/** Failures of all calls. The failure of a provider or a model is not repeated for each of its routes. */
export function failing(
  { models, providers }: Pick<Catalogue, 'models' | 'providers'>,
  health: HealthNow,
): Condition[] {
  const found = health
    .failing({ models: models.keys(), providers: providers.keys() })
    .flatMap(({ kind, name, health }): Condition[] =>
      kind === 'model'
        ? conditionOf('failing_model', name, `Model ${name}`, health, 'calls')
        : conditionOf('failing_provider', name, `Provider ${name}`, health, 'requests'),
    )
  const known = new Set(found.map(({ rule, subject }) => `${rule} ${subject}`))
  const routes = [...models.values()].flatMap((model) =>
    model.routes.flatMap((route): Condition[] => {
      const is_known =
        known.has(`failing_model ${model.id}`) || known.has(`failing_provider ${route.provider}`)
      const state = health.ofRoute(model.id, route.provider, route.model)
      if (is_known || state.state !== 'failing') return []
      const name = `${route.provider}:${route.model}`
      return conditionOf(
        'failing_route',
        `${model.id} ${name}`,
        `Route ${name} of ${model.id}`,
        state,
        'requests',
      )
    }),
  )
  return [...found, ...routes]
}

function conditionOf(
  rule: Condition['rule'],
  subject: string,
  what: string,
  health: Health,
  counted: Unit,
): Condition[] {
  const sums = health[health.judged_by]
  const counts: Counts = counted === 'calls' ? sums.calls : sums.tries
  const total = totalOf(counts)
  if (total < MIN_FAILED) return []
  const range = health.judged_by === 'hour' ? 'in the last hour' : 'in the last 24 hours'
  const sentence = `${what} is failing: all ${total} ${counted} ${range} failed.`
  return [{ rule, subject, account_id: null, sentence }]
}
