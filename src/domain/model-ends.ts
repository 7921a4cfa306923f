// The shutdown dates of models, by their own date or their routes', and the ones that are near. Pure.

import { counted } from '../utilities/counted.ts'
import type { Model, Route } from './catalogue.ts'
import { DAY_MS } from './ranges.ts'

/** The operator is warned this long before a shutdown. */
export const WARNED_DAYS = 30

/** A model that ends soon or has ended, or a route of a model that continues. */
interface Ending {
  readonly model: string
  /** Absent for the model as a whole. */
  readonly route?: Pick<Route, 'provider' | 'model'>
  /** `YYYY-MM-DD`, in UTC. */
  readonly date: string
  /** Days until that day begins; negative once it is past. */
  readonly days: number
}

/** Returns the shutdown day of a model: its own date, otherwise its routes' last date if all of them have one. */
export function shutdownDateOf({
  shutdown_date,
  routes,
}: Pick<Model, 'shutdown_date' | 'routes'>): string | undefined {
  if (shutdown_date !== undefined) return shutdown_date
  const dates = routes.flatMap((route) => route.shutdown_date ?? [])
  return dates.length < routes.length ? undefined : dates.toSorted().at(-1)
}

/** Returns models that end within `WARNED_DAYS` or have ended, the earliest first. Retired models are left out. */
export function endingsOf(models: Iterable<Model>, now_ms: number): Ending[] {
  const all = [...models].flatMap((model): Ending[] => {
    if (model.retired) return []
    const ends = (date: string | undefined): readonly [string, number][] => {
      const days = date === undefined ? Number.POSITIVE_INFINITY : daysUntil(date, now_ms)
      return date !== undefined && days <= WARNED_DAYS ? [[date, days]] : []
    }
    const of_model = ends(shutdownDateOf(model)).map(([date, days]) => ({ model: model.id, date, days }))
    if (of_model.length > 0) return of_model
    return model.routes.flatMap(({ provider, model: upstream, shutdown_date }) =>
      ends(shutdown_date).map(([date, days]) => ({
        model: model.id,
        route: { provider, model: upstream },
        date,
        days,
      })),
    )
  })
  return all.toSorted((one, other) => one.days - other.days)
}

/** Returns the end of a whole model, if it has a date. */
export function endOf(model: Model, now_ms: number): Pick<Ending, 'date' | 'days'> | undefined {
  const date = shutdownDateOf(model)
  return date === undefined ? undefined : { date, days: daysUntil(date, now_ms) }
}

/** Days until a day begins in UTC: 0 on the day itself. */
const daysUntil = (date: string, now_ms: number): number => Math.ceil((Date.parse(date) - now_ms) / DAY_MS)

/** `gpt-x ends on 2026-12-01, in 7 days`. */
export function endingText({ model, route, date, days }: Ending): string {
  const what = route ? `${model}: its route ${route.provider}:${route.model}` : model
  if (days < 0) return `${what} ended on ${date}`
  if (days <= 0) return `${what} ends on ${date}, today`
  return `${what} ends on ${date}, in ${counted(days, 'day')}`
}
