// Incidents: the operator opens, updates and resolves them; each step is in the audit log.
import { asc, desc, lt, sql } from 'drizzle-orm'
import { conflict, invalidRequest, notFound } from '../../../src/domain/errors.ts'
import { recordAction } from '../../../src/store/actions.ts'
import type { Db, Tx } from '../../../src/store/db.ts'
import { type Page, type PageRequest, pageOf, pageValues } from '../../../src/store/page.ts'
import { equals, placeholder, placeholders } from '../../../src/store/placeholders.ts'
import { perConnection } from '../../../src/store/prepared.ts'
import { visible } from '../../../src/utilities/visible-text.ts'
import { type IncidentState, incident_updates, incidents } from '../tables.ts'

interface IncidentUpdate {
  state: IncidentState
  text: string
  written_at_ms: number
}

export interface Incident {
  id: number
  title: string
  /** Empty for an incident of the whole service. */
  models: readonly string[]
  state: IncidentState
  opened_at_ms: number
  resolved_at_ms: number | null
  /** Oldest first; the first one opened the incident. */
  updates: readonly IncidentUpdate[]
}

const MAX_TITLE_CHARS = 120
const MAX_TEXT_CHARS = 4_000
const MAX_MODELS = 50

const queries = perConnection({
  open: (orm) =>
    orm
      .insert(incidents)
      .values(placeholders('title', 'models', 'state', 'opened_at_ms'))
      .returning(),
  change: (orm) =>
    orm
      .update(incidents)
      .set({ state: sql`${placeholder('state')}`, resolved_at_ms: sql`${placeholder('resolved_at_ms')}` })
      .where(equals(incidents.id, 'id')),
  addUpdate: (orm) =>
    orm.insert(incident_updates).values(placeholders('incident_id', 'state', 'text', 'written_at_ms')),
  byId: (orm) => orm.select().from(incidents).where(equals(incidents.id, 'id')),
  page: (orm) =>
    orm
      .select()
      .from(incidents)
      .where(lt(incidents.id, placeholder('below_id')))
      .orderBy(desc(incidents.id))
      .limit(placeholder('row_limit')),
  /** Open ones first, then those resolved since a time. */
  recent: (orm) =>
    orm
      .select()
      .from(incidents)
      .where(
        sql`${incidents.resolved_at_ms} IS NULL OR ${incidents.resolved_at_ms} >= ${placeholder('since_ms')}`,
      )
      .orderBy(sql`${incidents.resolved_at_ms} IS NOT NULL`, desc(incidents.id))
      .limit(placeholder('row_limit')),
  updatesOf: (orm) =>
    orm
      .select()
      .from(incident_updates)
      .where(
        sql`${incident_updates.incident_id} IN (SELECT CAST(value AS bigint) FROM json_each(${placeholder('ids')}))`,
      )
      .orderBy(asc(incident_updates.id)),
})

type IncidentRow = typeof incidents.$inferSelect

async function withUpdates(db: Db, rows: readonly IncidentRow[]): Promise<Incident[]> {
  const updates = await queries(db).updatesOf.all({ ids: JSON.stringify(rows.map(({ id }) => id)) })
  const of_incident = Map.groupBy(updates, ({ incident_id }) => incident_id)
  return rows.map(({ models, ...row }) => ({
    ...row,
    models: JSON.parse(models),
    updates: (of_incident.get(row.id) ?? []).map(({ state, text, written_at_ms }) => ({
      state,
      text,
      written_at_ms,
    })),
  }))
}

/** One page, newest first. */
export async function listIncidents(db: Db, request: PageRequest): Promise<Page<Incident>> {
  const { rows, ...page } = pageOf(await queries(db).page.all({ ...pageValues(request) }), request)
  return { ...page, rows: await withUpdates(db, [...rows]) }
}

/** Open incidents, then those resolved since a time; newest first in both groups. */
export const recentIncidents = async (
  db: Db,
  { since_ms, limit }: { since_ms: number; limit: number },
): Promise<Incident[]> => withUpdates(db, await queries(db).recent.all({ since_ms, row_limit: limit }))

/** @throws GatewayError not_found */
export async function incidentById(db: Db, id: number): Promise<Incident> {
  const row = await queries(db).byId.get({ id })
  const [found] = row ? await withUpdates(db, [row]) : []
  if (!found) throw notFound(`Incident ${id} not found.`)
  return found
}

/**
 * Returns the affected models that the status page may name.
 *
 * @returns undefined if all affected models are hidden: then the page omits the incident, since without models it would mean the whole service
 */
export function visibleModels(
  { models }: Pick<Incident, 'models'>,
  isHidden: (model: string) => boolean,
): string[] | undefined {
  const named = models.filter((model) => !isHidden(model))
  return named.length === 0 && models.length > 0 ? undefined : named
}

interface NewIncident {
  title: string
  text: string
  state?: IncidentState | undefined
  /** IDs of models; none for the whole service. */
  models?: readonly string[] | undefined
}

/**
 * Opens an incident. The status page shows it within seconds.
 *
 * @param known tells whether the catalogue has a model
 * @throws GatewayError invalid_request for an empty or too long text, and for an unknown model
 */
export async function openIncident(
  tx: Tx,
  { title, text, state = 'investigating', models = [] }: NewIncident,
  { now_ms, known }: { now_ms: number; known: (model: string) => boolean },
): Promise<Incident> {
  const model_ids = [...new Set(models)]
  if (model_ids.length > MAX_MODELS)
    throw invalidRequest(`models: at most ${MAX_MODELS}. Leave them out for the service as a whole.`, {
      param: 'models',
    })
  const unknown = model_ids.find((model) => !known(model))
  if (unknown !== undefined)
    throw invalidRequest(`models: the catalogue has no model "${unknown}".`, { param: 'models' })
  if (state === 'resolved')
    throw invalidRequest('state: a new incident is not resolved yet. Open it, then resolve it.', {
      param: 'state',
    })
  const row = await queries(tx).open.get({
    title: checkedText(title, 'title', MAX_TITLE_CHARS),
    models: JSON.stringify(model_ids),
    state,
    opened_at_ms: now_ms,
  })
  await addUpdate(tx, row.id, { state, text, written_at_ms: now_ms })
  await recordAction(tx, {
    action: 'incident.opened',
    subject: row.title,
    after: { incident: row.id, state, text, models: model_ids },
  })
  return await incidentById(tx, row.id)
}

/**
 * Adds an update, which may change the state; `resolved` ends the incident.
 *
 * @throws GatewayError not_found; conflict for a resolved incident; invalid_request as `openIncident`
 */
export async function updateIncident(
  tx: Tx,
  id: number,
  { text, state }: { text: string; state?: IncidentState | undefined },
  now_ms: number,
): Promise<Incident> {
  await tx.lock(null)
  const before = await incidentById(tx, id)
  if (before.state === 'resolved') throw conflict(`Incident ${id} is resolved. Open a new one if it is back.`)
  const next = state ?? before.state
  // The clocks of several gateways may differ: an update is never older than its incident.
  const written_at_ms = Math.max(now_ms, before.opened_at_ms)
  await addUpdate(tx, id, { state: next, text, written_at_ms })
  await queries(tx).change.run({
    id,
    state: next,
    resolved_at_ms: next === 'resolved' ? written_at_ms : null,
  })
  await recordAction(tx, {
    action: next === 'resolved' ? 'incident.resolved' : 'incident.updated',
    subject: before.title,
    before: { state: before.state },
    after: { incident: id, state: next, text },
  })
  return await incidentById(tx, id)
}

async function addUpdate(
  tx: Tx,
  incident_id: number,
  { state, text, written_at_ms }: IncidentUpdate,
): Promise<void> {
  const checked = checkedText(text, 'text', MAX_TEXT_CHARS)
  await queries(tx).addUpdate.run({ incident_id, state, text: checked, written_at_ms })
}

/** @throws GatewayError invalid_request */
function checkedText(text: string, param: string, max_chars: number): string {
  const trimmed = text.trim().replaceAll('\r\n', '\n')
  const is_line = param === 'title'
  if (trimmed === '') throw invalidRequest(`${param}: must not be empty.`, { param })
  if (trimmed.length > max_chars)
    throw invalidRequest(`${param}: has ${trimmed.length} characters; at most ${max_chars} are allowed.`, {
      param,
    })
  if (visible(trimmed) !== trimmed || (is_line && /[\n\t]/.test(trimmed)))
    throw invalidRequest(`${param}: has control characters. Remove them.`, { param })
  return trimmed
}
