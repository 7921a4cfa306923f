// The status at a moment, gathered of health and incidents: days that are over are read once.
import type { Gateway } from '../../../src/app/surface/gateway.ts'
import type { Catalogue } from '../../../src/domain/catalogue.ts'
import { DAYS_KEPT, type ModelDay, modelDays, routeHealth } from '../../health/index.ts'
import { recentIncidents } from '../incidents/incidents.ts'
import { publicModels } from '../public/views.ts'
import { hiddenModels } from '../settings.ts'
import { type Status, statusView } from './views.ts'

const DAY_S = 86_400
const MAX_INCIDENTS = 50

/** @returns reads the status of the models that a catalogue offers */
export function statusOf(gateway: Pick<Gateway, 'db' | 'calls'>): (catalogue: Catalogue) => Promise<Status> {
  /** Up to the day before yesterday: a call that ends at midnight may be written late. */
  let over: { before_s: number; days: readonly ModelDay[] } = { before_s: 0, days: [] }
  return async (catalogue) => {
    const now_ms = gateway.calls.now()
    const yesterday_s = (Math.floor(now_ms / 1_000 / DAY_S) - 1) * DAY_S
    const first_s = yesterday_s - (DAYS_KEPT - 2) * DAY_S
    if (over.before_s !== yesterday_s) {
      const days = await modelDays(gateway, first_s)
      over = { before_s: yesterday_s, days: days.filter(({ day_s }) => day_s < yesterday_s) }
    }
    const [late, health, incidents] = await Promise.all([
      modelDays(gateway, yesterday_s),
      routeHealth(gateway),
      recentIncidents(gateway.db, { since_ms: first_s * 1_000, limit: MAX_INCIDENTS }),
    ])
    return statusView({
      models: publicModels(catalogue),
      isHidden: hiddenModels(catalogue),
      stateOf: (model) => health.ofModel(model).state,
      days: [...over.days, ...late],
      incidents,
      now_ms,
    })
  }
}
