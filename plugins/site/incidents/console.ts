// Console routes of incidents.
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { consoleList } from '../../../src/app/list/pages.ts'
import {
  type ConsoleParts,
  changed,
  FAILURES,
  operatorCalls,
} from '../../../src/app/surface/console/calls.ts'
import { Closed, Nullable, OneOf } from '../../../src/http/schema.ts'
import { NullableTimeFields, TimeFields, time } from '../../../src/http/views.ts'
import { hiddenModels, siteSettings } from '../settings.ts'
import { INCIDENT_STATES } from '../tables.ts'
import { type Incident, incidentById, openIncident, updateIncident, visibleModels } from './incidents.ts'
import { incident_list } from './list.ts'

const Id = Closed({ id: Type.String({ pattern: '^[1-9][0-9]{0,14}$', must: 'the number of an incident' }) })
const Words = (must: string) => Type.String({ must })

const IncidentView = Closed({
  id: Type.Integer(),
  title: Type.String(),
  state: OneOf(INCIDENT_STATES),
  models: Type.Array(Type.String(), { description: 'empty: the service as a whole' }),
  ...TimeFields('opened'),
  ...NullableTimeFields('resolved'),
  updates: Type.Array(
    Closed({ state: OneOf(INCIDENT_STATES), text: Type.String(), ...TimeFields('written') }),
    {
      description: 'the oldest first',
    },
  ),
  unseen: Nullable(
    OneOf(['pages_off', 'models_hidden'], {
      description: 'why the status page does not show it; null: it does',
    }),
  ),
})

const NewIncident = Closed({
  title: Words('a title'),
  text: Words('a text'),
  state: Type.Optional(OneOf(INCIDENT_STATES)),
  models: Type.Optional(Type.Array(Type.String())),
})

const Update = Closed({ text: Words('a text'), state: Type.Optional(OneOf(INCIDENT_STATES)) })

/** `GET` and `POST /console/api/incidents`, `/console/api/incidents.csv`; `GET /console/api/incidents/{id}`, `POST …/updates`. */
export function incidentRoutes(gateway: ConsoleParts) {
  const { now, catalogue } = gateway.calls
  const list = consoleList(gateway, incident_list)
  const unseen = (incident: Incident): 'pages_off' | 'models_hidden' | null => {
    if (!siteSettings.of(catalogue()).enabled) return 'pages_off'
    return visibleModels(incident, hiddenModels(catalogue())) ? null : 'models_hidden'
  }
  const view = (incident: Incident) => {
    const { opened_at_ms, resolved_at_ms, updates, models, ...rest } = incident
    return {
      ...rest,
      models: [...models],
      ...time('opened', opened_at_ms),
      ...time('resolved', resolved_at_ms),
      updates: updates.map(({ written_at_ms, ...update }) => ({
        ...update,
        ...time('written', written_at_ms),
      })),
      unseen: unseen(incident),
    }
  }
  return new Elysia({ name: 'console-incidents' })
    .use(operatorCalls(gateway))
    .get('/console/api/incidents', ({ viewer, query }) => list.page(viewer, query), list.page_route)
    .get('/console/api/incidents.csv', ({ viewer, query }) => list.file(viewer, query), list.file_route)
    .post(
      '/console/api/incidents',
      async ({ viewer, origin, body }) => {
        const at = { now_ms: now(), known: (model: string) => catalogue().models.has(model) }
        return view(await changed(gateway, { viewer, origin }, (tx) => openIncident(tx, body, at)))
      },
      { body: NewIncident, response: { 200: IncidentView, ...FAILURES } },
    )
    .get(
      '/console/api/incidents/:id',
      async ({ params: { id } }) => view(await incidentById(gateway.db, Number(id))),
      { params: Id, response: { 200: IncidentView, ...FAILURES } },
    )
    .post(
      '/console/api/incidents/:id/updates',
      async ({ viewer, origin, params: { id }, body }) =>
        view(await changed(gateway, { viewer, origin }, (tx) => updateIncident(tx, Number(id), body, now()))),
      { params: Id, body: Update, response: { 200: IncidentView, ...FAILURES } },
    )
}
