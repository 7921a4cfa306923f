// The current status, from health and incidents. Past days are read from the database once.
import type { Gateway } from '../../../src/app/surface/gateway.ts'
import type { Catalogue } from '../../../src/domain/catalogue.ts'
import { DAYS_KEPT, type ModelDay, modelDays, routeHealth } from '../../health/index.ts'
import { recentIncidents } from '../incidents/incidents.ts'
import { publicModels } from '../public/views.ts'
import { hiddenModels } from '../settings.ts'
import { type Status, statusView } from './views.ts'

const DAY_S = 86_400
const MAX_INCIDENTS = 50

/** @returns a function that reads the status of a catalogue's models */
export function statusReader(
  gateway: Pick<Gateway, 'db' | 'calls'>,
): (catalogue: Catalogue) => Promise<Status> {
  /** Days up to the day before yesterday: a call that ends at midnight may be recorded later. */
  let past: { before_s: number; days: readonly ModelDay[] } = { before_s: 0, days: [] }
  return async (catalogue) => {
    const now_ms = gateway.calls.now()
    const yesterday_s = (Math.floor(now_ms / 1_000 / DAY_S) - 1) * DAY_S
    const first_s = yesterday_s - (DAYS_KEPT - 2) * DAY_S
    if (past.before_s !== yesterday_s) {
      const days = await modelDays(gateway, first_s)
      past = { before_s: yesterday_s, days: days.filter(({ day_s }) => day_s < yesterday_s) }
    }
    const [recent, health, incidents] = await Promise.all([
      modelDays(gateway, yesterday_s),
      routeHealth(gateway),
      recentIncidents(gateway.db, { since_ms: first_s * 1_000, limit: MAX_INCIDENTS }),
    ])
    return statusView({
      models: publicModels(catalogue),
      isHidden: hiddenModels(catalogue),
      stateOf: (model) => health.ofModel(model).state,
      days: [...past.days, ...recent],
      incidents,
      now_ms,
    })
  }
}
