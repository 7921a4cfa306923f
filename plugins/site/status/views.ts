// The public status: the state of each model, its last 90 days, and incidents, without numbers that reveal how many calls there are.
import { type Static, Type } from '@sinclair/typebox'
import { Closed, Nullable, OneOf } from '../../../src/http/schema.ts'
import { NullableTimeFields, TimeFields, time } from '../../../src/http/views.ts'
import { DAYS_KEPT, HEALTH_STATES, type ModelDay } from '../../health/index.ts'
import { type Incident, visibleModels } from '../incidents/incidents.ts'
import { INCIDENT_STATES } from '../tables.ts'

/** For fewer calls a share would mean little, and would reveal their number. */
const MIN_CALLS = 20

const Share = (description: string) =>
  Nullable(
    Type.Integer({
      minimum: 0,
      maximum: 100,
      description: `${description} Null where there is too little to say.`,
    }),
  )

const ModelStatusView = Closed({
  id: Type.String({ description: 'The ID of the model, as in `model` of a call.' }),
  display_name: Type.String({ description: 'The display name.' }),
  state: OneOf(HEALTH_STATES, { description: 'Its state now; `unknown`: no calls in the last 24 hours.' }),
  answered_percent: Share('Of the calls of all these days, the share that was answered, rounded down.'),
  days: Type.Array(
    Closed({
      date: Type.String({ description: 'In UTC, such as `2026-11-29`.' }),
      answered_percent: Share('The share of its calls that was answered, rounded down.'),
    }),
    { description: `The last ${DAYS_KEPT} days, today last.` },
  ),
})
export type ModelStatus = Static<typeof ModelStatusView>

const IncidentView = Closed({
  id: Type.Integer({ description: 'Its number.' }),
  title: Type.String({ description: 'A short title.' }),
  state: OneOf(INCIDENT_STATES, { description: 'Its state, that of its last update.' }),
  models: Type.Array(Type.String(), { description: 'Empty: the service as a whole.' }),
  ...TimeFields('opened', 'When it was opened'),
  ...NullableTimeFields('resolved', 'When it was resolved'),
  updates: Type.Array(
    Closed({
      state: OneOf(INCIDENT_STATES, { description: 'The state from then on.' }),
      text: Type.String({ description: 'The text of the update.' }),
      ...TimeFields('written', 'When it was written'),
    }),
    { description: 'The newest first.' },
  ),
})
export type PublicIncident = Static<typeof IncidentView>

export const StatusView = Closed(
  {
    state: OneOf(['working', 'impaired', 'failing'], {
      description: 'The worst state of a model; at least `impaired` while an incident is open.',
    }),
    ...TimeFields('checked', 'When this was put together'),
    models: Type.Array(ModelStatusView, { description: 'In the order of the catalogue.' }),
    incidents: Type.Array(IncidentView, {
      description: 'Open ones, then those that were resolved in the last 90 days; the newest of each first.',
    }),
  },
  { description: 'The status of the service.' },
)
export type Status = Static<typeof StatusView>

interface StatusParts {
  models: readonly { id: string; display_name: string }[]
  /** Matches the models that the operator hides. */
  isHidden: (model: string) => boolean
  stateOf: (model: string) => ModelStatus['state']
  days: readonly ModelDay[]
  incidents: readonly Incident[]
  now_ms: number
}

const DAY_MS = 86_400_000

export function statusView({ models, isHidden, stateOf, days, incidents, now_ms }: StatusParts): Status {
  const of_model = Map.groupBy(days, ({ model }) => model)
  const today = Math.floor(now_ms / DAY_MS)
  // Computed once for all models.
  const dates = Array.from({ length: DAYS_KEPT }, (_, index) => {
    const day = today - DAYS_KEPT + 1 + index
    return { day_s: day * 86_400, date: new Date(day * DAY_MS).toISOString().slice(0, 10) }
  })
  const views = models.map(({ id, display_name }): ModelStatus => {
    const own = new Map((of_model.get(id) ?? []).map((day) => [day.day_s, day]))
    const all = dates.flatMap(({ day_s }) => own.get(day_s) ?? [])
    return {
      id,
      display_name,
      state: stateOf(id),
      answered_percent: percentOf(all),
      days: dates.map(({ day_s, date }) => {
        const found = own.get(day_s)
        return { date, answered_percent: found ? percentOf([found]) : null }
      }),
    }
  })
  const visible = incidents.flatMap((incident) => publicIncident(incident, isHidden) ?? [])
  return {
    state: stateOfAll(views, visible),
    ...time('checked', now_ms),
    models: views,
    incidents: visible,
  }
}

/** Rounded down: 100 only if all calls were answered. @returns null for too few calls */
function percentOf(days: readonly Pick<ModelDay, 'answered' | 'failed'>[]): number | null {
  const answered = days.reduce((sum, day) => sum + day.answered, 0)
  const calls = answered + days.reduce((sum, day) => sum + day.failed, 0)
  return calls < MIN_CALLS ? null : Math.floor((answered / calls) * 100)
}

function stateOfAll(models: readonly ModelStatus[], incidents: readonly PublicIncident[]): Status['state'] {
  if (models.some(({ state }) => state === 'failing')) return 'failing'
  const has_incident = incidents.some(({ state }) => state !== 'resolved')
  return has_incident || models.some(({ state }) => state === 'impaired') ? 'impaired' : 'working'
}

/** @returns undefined if all its models are hidden */
function publicIncident(incident: Incident, isHidden: StatusParts['isHidden']): PublicIncident | undefined {
  const models = visibleModels(incident, isHidden)
  if (!models) return undefined
  const { id, title, state, opened_at_ms, resolved_at_ms, updates } = incident
  return {
    id,
    title,
    state,
    models,
    ...time('opened', opened_at_ms),
    ...time('resolved', resolved_at_ms),
    updates: updates
      .map((update) => ({ state: update.state, text: update.text, ...time('written', update.written_at_ms) }))
      .toReversed(),
  }
}
