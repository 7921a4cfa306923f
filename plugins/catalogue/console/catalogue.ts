// The catalogue in the console: its file as text and values, checks of drafts, previews of their effects, and saving.
import { type Static, Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { Viewer } from '../../../src/access/viewer.ts'
import { FAILURES, operatorCalls } from '../../../src/app/surface/console/calls.ts'
import type { Gateway } from '../../../src/app/surface/gateway.ts'
import type { SavedConfiguration } from '../../../src/catalogue/configuration.ts'
import type { Author } from '../../../src/catalogue/past.ts'
import type { Identified } from '../../../src/http/answers.ts'
import { Closed, Nullable } from '../../../src/http/schema.ts'
import type { Logger } from '../../../src/observe/log.ts'
import { RatingView, ratingView, rerateCalls } from '../../prices/index.ts'
import { blockFields, SettingsView, settingSections } from '../setting-fields.ts'
import { ChangesView, changesView } from './changes.ts'
import { DRAFT_FIELDS, DraftBody, draftOf, MistakeView, requireValidDraft } from './draft.ts'
import { KnownView, knownView } from './known-providers.ts'
import { LostGroupsView, lostGroups, repricedModels } from './price-groups.ts'
import { saveValues, ValuesBody } from './values.ts'

const WEEK_MS = 7 * 86_400_000

const Values = Nullable(Type.Record(Type.String(), Type.Unknown(), { description: 'the values of the file' }))
const Mistakes = Type.Array(MistakeView)

const FileView = Type.Object({
  path: Type.String(),
  hash: Type.String({ description: 'to be sent back with a save' }),
  version: Nullable(
    Type.Integer({ description: 'in the database, for all gateways; null: the text is from the file' }),
  ),
  text: Nullable(
    Type.String({ description: 'with `hidden:…` in place of keys; null if the file is not TOML' }),
  ),
  values: Values,
  mistakes: Mistakes,
  warnings: Mistakes,
  waiting_for_restart: Type.Array(Type.String()),
})

const CheckedView = Type.Object({
  text: Type.String(),
  safe_text: Nullable(
    Type.String({
      description: 'with marks also in place of new keys of the draft; null if it is not TOML',
    }),
  ),
  values: Values,
  mistakes: Mistakes,
  warnings: Mistakes,
  changes: Nullable(ChangesView),
})

const SavedView = Type.Object({
  hash: Type.String(),
  warnings: Mistakes,
  waiting_for_restart: Type.Array(Type.String()),
})

const PreviewView = Type.Object({
  changes: ChangesView,
  lost_groups: LostGroupsView,
  /** Null if no price of a model changes. */
  rating: Nullable(RatingView),
})

/** The route of previews, for the operator: changes of a draft, and last week's calls at its prices. */
export function previewRoutes(gateway: Pick<Gateway, 'calls' | 'requests' | 'people' | 'operations' | 'db'>) {
  const { db } = gateway
  const { configuration } = gateway.operations
  const { catalogue, now } = gateway.calls

  return new Elysia({ name: 'console-catalogue-previews' }).use(operatorCalls(gateway)).post(
    '/console/api/catalogue/previews',
    async ({ body }) => {
      const { catalogue: next, parts } = await requireValidDraft(configuration, draftOf(body))
      const changes = changesView(parts, catalogue(), next)
      const repriced = repricedModels(catalogue(), next)
      const lost_groups = await lostGroups(db, catalogue(), next)
      if (repriced.models.length === 0) return { changes, lost_groups, rating: null }
      const until_ms = now()
      const rating = await rerateCalls(db, { from_ms: until_ms - WEEK_MS, until_ms, ...repriced })
      return { changes, lost_groups, rating: ratingView(rating) }
    },
    { body: DraftBody, response: { 200: PreviewView, ...FAILURES } },
  )
}

export function catalogueRoutes(gateway: Pick<Gateway, 'calls' | 'requests' | 'people' | 'operations'>) {
  const { configuration } = gateway.operations
  const { catalogue, log } = gateway.calls

  return new Elysia({ name: 'console-catalogue' })
    .use(operatorCalls(gateway))
    .get(
      '/console/api/catalogue',
      async () => {
        const { waiting_for_restart, ...file } = await configuration.read()
        return { ...file, waiting_for_restart: [...waiting_for_restart] }
      },
      { response: { 200: FileView, ...FAILURES } },
    )
    .get(
      '/console/api/catalogue/settings',
      async () => {
        const { version } = await configuration.read()
        return { sections: settingSections(version !== null), blocks: blockFields() }
      },
      { response: { 200: SettingsView, ...FAILURES } },
    )
    .get('/console/api/catalogue/known', knownView, { response: { 200: KnownView, ...FAILURES } })
    .post(
      '/console/api/catalogue/check',
      async ({ body }) => {
        const { catalogue: next, parts, ...checked } = await configuration.check(draftOf(body))
        return { ...checked, changes: next ? changesView(parts, catalogue(), next) : null }
      },
      { body: DraftBody, response: { 200: CheckedView, ...FAILURES } },
    )
    .post(
      '/console/api/catalogue/save',
      async ({ body, viewer, origin }) =>
        savedView(await configuration.save(draftOf(body), body.hash, authorOf(viewer), origin.request_id), {
          log,
          origin,
        }),
      {
        body: Closed({ ...DRAFT_FIELDS, hash: Type.String({ maxLength: 64 }) }),
        response: { 200: SavedView, ...FAILURES },
      },
    )
    .post(
      '/console/api/catalogue/values',
      async ({ body, viewer, origin }) =>
        savedView(await saveValues(configuration, body, authorOf(viewer), origin.request_id), {
          log,
          origin,
        }),
      { body: ValuesBody, response: { 200: SavedView, ...FAILURES } },
    )
}

const authorOf = ({ session_id }: Viewer): Author => `session:${session_id}`

interface SaveLog {
  log: Pick<Logger, 'info'>
  origin: Identified
}

function savedView(
  { hash, warnings, waiting_for_restart: waiting }: SavedConfiguration,
  { log, origin: { request_id } }: SaveLog,
): Static<typeof SavedView> {
  const waiting_for_restart = [...waiting]
  log.info({ request_id, hash, waiting_for_restart }, 'the catalogue was saved in the console')
  return { hash, warnings, waiting_for_restart }
}
