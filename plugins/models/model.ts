// Owns the list of models as callers see it: what is asked for, page by page, and one body for two vendors' SDKs.
import { type Static, Type } from '@sinclair/typebox'
import type { Model } from '../../src/domain/catalogue.ts'
import { invalidRequest } from '../../src/domain/errors.ts'
import { readQuery } from '../../src/http/query.ts'

/** https://platform.claude.com/docs/en/api/models/list. OpenAI's list has no pages, so without `limit` all are given. */
const PageQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000, must: 'a whole number from 1 to 1000' })),
  before_id: Type.Optional(Type.String({ must: 'the id of a model' })),
  after_id: Type.Optional(Type.String({ must: 'the id of a model' })),
})
type PageRequest = Static<typeof PageQuery>

/** Reads what is known of a query; SDKs send parameters of their own besides (`beta=true`), which say nothing here. */
export function readPage(parameters: URLSearchParams): PageRequest {
  const known = [...parameters].filter(([name]) => Object.hasOwn(PageQuery.properties, name))
  const page = readQuery(PageQuery, new URLSearchParams(known))
  if (page.before_id === undefined || page.after_id === undefined) return page
  throw invalidRequest('before_id: cannot be given together with after_id.', { param: 'before_id' })
}

/**
 * One page of models.
 *
 * @param models all that the caller may call, in their order
 * @throws GatewayError invalid_request where a page is asked for beside a model that is not among them
 */
export function listView(models: readonly Model[], { limit, before_id, after_id }: PageRequest) {
  const rest =
    before_id === undefined
      ? models.slice(placeAfter(models, after_id))
      : models.slice(0, placeOf(models, before_id, 'before_id'))
  const size = Math.min(limit ?? rest.length, rest.length)
  const page = before_id === undefined ? rest.slice(0, size) : rest.slice(rest.length - size)
  return {
    object: 'list',
    data: page.map(modelView),
    has_more: page.length < rest.length,
    first_id: page.at(0)?.id ?? null,
    last_id: page.at(-1)?.id ?? null,
  }
}

const placeAfter = (models: readonly Model[], after_id: string | undefined): number =>
  after_id === undefined ? 0 : placeOf(models, after_id, 'after_id') + 1

function placeOf(models: readonly Model[], id: string, param: string): number {
  const place = models.findIndex((model) => model.id === id)
  if (place >= 0) return place
  throw invalidRequest(`${param}: is not the id of a model that you may call.`, { param })
}

/** "May be set to an epoch value if the release date is unknown", and the catalogue does not know it. */
const UNKNOWN_DATE = new Date(0).toISOString()

/**
 * A model, for OpenAI's SDK (`object`, `created`, `owned_by`) and Anthropic's (`type` and all that follows it). `kind`
 * is ours: what it is for, and so through which endpoints it can be called.
 */
export function modelView(model: Model) {
  return {
    id: model.id,
    object: 'model',
    created: 0,
    owned_by: 'tollgate',
    type: 'model',
    display_name: model.display_name,
    created_at: UNKNOWN_DATE,
    lifecycle: 'active',
    deprecated_at: null,
    retires_at: null,
    line: null,
    capabilities: null,
    max_input_tokens: model.kind === 'text' ? model.context : null,
    max_tokens: model.kind === 'text' ? model.max_output_tokens : null,
    kind: model.kind,
  }
}
