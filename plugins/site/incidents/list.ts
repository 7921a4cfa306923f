// Incidents as a list: at the console, in files and on the command line.
import { integer, nullableTime, tableOnly, text, time, word } from '../../../src/app/list/columns.ts'
import { type ConsoleRowOf, defineList, UNFILTERED } from '../../../src/app/list/list.ts'
import { OneOf } from '../../../src/http/schema.ts'
import { INCIDENT_STATES } from '../tables.ts'
import { type Incident, listIncidents } from './incidents.ts'

export const incident_list = defineList<Incident>()({
  name: 'incidents',
  field: 'incidents',
  ...UNFILTERED,
  max_rows: 200,
  columns: {
    id: integer(({ id }) => id, { table: { head: 'ID', right: true } }),
    opened: time(({ opened_at_ms }) => opened_at_ms, { table: { head: 'OPENED' } }),
    resolved: nullableTime(({ resolved_at_ms }) => resolved_at_ms),
    state: word(OneOf(INCIDENT_STATES), ({ state }) => state, { table: { head: 'STATE' } }),
    title: text(({ title }) => title, { table: { head: 'TITLE', elastic: true } }),
    models: text(({ models }) => models.join(', '), { description: 'empty: the service as a whole' }),
    of: tableOnly({
      head: 'MODELS',
      text: ({ models }: Incident) => models.join(', ') || 'all',
      elastic: true,
    }),
    updates: integer(({ updates }) => updates.length, { table: { head: 'UPDATES', right: true } }),
    text: text(({ updates }) => updates.at(-1)?.text ?? '', { description: 'of the last update' }),
  },
  read: (db, _filter, page) => listIncidents(db, page),
})

/** A row as the console's pages receive it. */
export type IncidentListRow = ConsoleRowOf<typeof incident_list>
