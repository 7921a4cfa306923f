// Incidents at the console: listed, opened, and told of further until they are resolved.
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { consoleList } from '../../../src/app/list/pages.ts'
import {
  type ConsoleParts,
  changed,
  FAILURES,
  operatorCalls,
} from '../../../src/app/surface/console/calls.ts'
import { Closed, OneOf } from '../../../src/http/schema.ts'
import { NullableTimeFields, TimeFields, time } from '../../../src/http/views.ts'
import { siteSettings } from '../settings.ts'
import { INCIDENT_STATES } from '../tables.ts'
import { type Incident, incidentById, openIncident, updateIncident } from './incidents.ts'
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
  is_public: Type.Boolean({ description: 'whether [site] shows the status page' }),
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
  const view = ({ opened_at_ms, resolved_at_ms, updates, models, ...incident }: Incident) => ({
    ...incident,
    models: [...models],
    ...time('opened', opened_at_ms),
    ...time('resolved', resolved_at_ms),
    updates: updates.map(({ written_at_ms, ...update }) => ({
      ...update,
      ...time('written', written_at_ms),
    })),
    is_public: siteSettings.of(catalogue()).enabled,
  })
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
