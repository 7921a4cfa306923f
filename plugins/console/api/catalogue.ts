// The catalogue in the console: its file as text and values, drafts of it, what they would change, and their saving.
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { settingSections } from '../../../src/config/setting-fields.ts'
import type { Catalogue } from '../../../src/domain/catalogue.ts'
import { notFound } from '../../../src/domain/errors.ts'
import { createReratings } from '../../../src/exchange/rerating.ts'
import type { RepricedModel } from '../../../src/exchange/rerating-thread.ts'
import { Nullable } from '../../../src/http/schema.ts'
import type { Gateway } from '../../../src/surface/gateway.ts'
import { FAILURES, operatorCalls } from '../calls.ts'
import { ChangesView, changesView } from './catalogue-changes.ts'
import { DRAFT_FIELDS, DraftBody, draftOf, MistakeView, requireGood } from './draft.ts'
import { KnownView, knownView } from './known-views.ts'
import { RatingView, ratingView } from './rerating-views.ts'

const WEEK_MS = 7 * 86_400_000

const Values = Nullable(Type.Record(Type.String(), Type.Unknown(), { description: 'the file, by its names' }))
const Mistakes = Type.Array(MistakeView)

const FileView = Type.Object({
  path: Type.String(),
  hash: Type.String({ description: 'given back when the file is saved' }),
  text: Nullable(
    Type.String({ description: 'with `hidden:…` in place of keys; null where the file is no TOML' }),
  ),
  values: Values,
  mistakes: Mistakes,
  warnings: Mistakes,
  waiting_for_restart: Type.Array(Type.String()),
})

const CheckedView = Type.Object({
  text: Type.String(),
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

const SettingsView = Type.Object({
  sections: Type.Array(
    Type.Object({
      name: Type.String(),
      fields: Type.Array(
        Type.Object({
          path: Type.Array(Type.String()),
          kind: Type.Union([
            Type.Literal('text'),
            Type.Literal('number'),
            Type.Literal('switch'),
            Type.Literal('choice'),
            Type.Literal('list'),
          ]),
          fallback: Nullable(Type.Union([Type.String(), Type.Number(), Type.Boolean()])),
          description: Type.String(),
          options: Type.Array(Type.String()),
        }),
      ),
    }),
  ),
})

const PreviewView = Type.Object({
  id: Nullable(Type.String({ description: 'of the re-rating; null where no price of a model changes' })),
  changes: ChangesView,
})

/** The routes of previews, for the operator: what a draft changes, and last week's calls at its prices. */
export function previewRoutes(gateway: Gateway) {
  const { configuration, catalogue, db, log, now } = gateway
  const ratings = createReratings(log)

  function find(id: string) {
    const rating = ratings.find(id)
    if (rating) return ratingView(rating)
    throw notFound('This preview is over: another one was begun since, or it was cancelled. Begin it again.')
  }

  return new Elysia({ name: 'console-catalogue-previews' })
    .use(operatorCalls(gateway))
    .post(
      '/console/api/catalogue/previews',
      async ({ body }) => {
        const { catalogue: next } = await requireGood(configuration, draftOf(body))
        const models = repriced(catalogue(), next)
        const until_ms = now()
        const order = { database: db.filename, from_ms: until_ms - WEEK_MS, until_ms, models }
        return {
          id: models.length === 0 ? null : ratings.begin(order),
          changes: changesView(catalogue(), next),
        }
      },
      { body: DraftBody, response: { 200: PreviewView, ...FAILURES } },
    )
    .get('/console/api/catalogue/previews/:id', ({ params }) => find(params.id), {
      params: Type.Object({ id: Type.String({ maxLength: 64 }) }),
      response: { 200: RatingView, ...FAILURES },
    })
    .delete(
      '/console/api/catalogue/previews/:id',
      ({ params }) => {
        ratings.cancel(params.id)
        return { cancelled: true }
      },
      {
        params: Type.Object({ id: Type.String({ maxLength: 64 }) }),
        response: { 200: Type.Object({ cancelled: Type.Boolean() }), ...FAILURES },
      },
    )
}

/** The routes of the catalogue, for the operator. */
export function catalogueRoutes(gateway: Gateway) {
  const { configuration, catalogue, log } = gateway

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
    .get('/console/api/catalogue/settings', () => ({ sections: settingSections() }), {
      response: { 200: SettingsView, ...FAILURES },
    })
    .get('/console/api/catalogue/known', knownView, { response: { 200: KnownView, ...FAILURES } })
    .post(
      '/console/api/catalogue/check',
      async ({ body }) => {
        const { catalogue: next, ...checked } = await configuration.check(draftOf(body))
        return { ...checked, changes: next ? changesView(catalogue(), next) : null }
      },
      { body: DraftBody, response: { 200: CheckedView, ...FAILURES } },
    )
    .post(
      '/console/api/catalogue/save',
      async ({ body }) => {
        const { hash, warnings, waiting_for_restart } = await configuration.save(draftOf(body), body.hash)
        log.info(
          { hash, waiting_for_restart: [...waiting_for_restart] },
          'the catalogue was saved in the console',
        )
        return { hash, warnings, waiting_for_restart: [...waiting_for_restart] }
      },
      {
        body: Type.Object(
          { ...DRAFT_FIELDS, hash: Type.String({ maxLength: 64 }) },
          { additionalProperties: false },
        ),
        response: { 200: SavedView, ...FAILURES },
      },
    )
}

/** The models whose calls would cost something else. */
function repriced(before: Catalogue, after: Catalogue): RepricedModel[] {
  return [...before.models.values()].flatMap(({ id, price: current }) => {
    const next = after.models.get(id)?.price
    return Bun.deepEquals(current, next) ? [] : [{ id, current, next }]
  })
}
