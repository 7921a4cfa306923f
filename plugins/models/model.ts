// The list of models as callers see it: what is asked for, page by page, and one body for the SDKs of two providers.
import { type Static, Type } from '@sinclair/typebox'
import type { Model } from '../../src/domain/catalogue.ts'
import { invalidRequest } from '../../src/domain/errors.ts'
import { Limit } from '../../src/http/paging.ts'
import { Nullable, OneOf } from '../../src/http/schema.ts'
import { NativeModel } from '../../src/protocols/gemini/models.ts'

const closed = { additionalProperties: false }

/**
 * https://platform.claude.com/docs/en/api/models/list. OpenAI's list has no pages, so without `limit` all are listed.
 * Other parameters pass: SDKs send some of their own (`beta=true`), which mean nothing here.
 */
export const ListQuery = Type.Object(
  {
    limit: Type.Optional(Limit),
    before_id: Type.Optional(Type.String({ must: 'the id of a model' })),
    after_id: Type.Optional(Type.String({ must: 'the id of a model' })),
  },
  { additionalProperties: true },
)

/**
 * A model, for OpenAI's SDK (`object`, `created`, `owned_by`) and Anthropic's (`type` and what follows it). `kind` is
 * ours: it tells through which endpoints the model can be called.
 */
export const ModelView = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal('model'),
    created: Type.Integer(),
    owned_by: Type.String(),
    type: Type.Literal('model'),
    display_name: Type.String(),
    created_at: Type.String(),
    lifecycle: Type.Literal('active'),
    deprecated_at: Type.Null(),
    retires_at: Type.Null(),
    line: Type.Null(),
    capabilities: Type.Null(),
    max_input_tokens: Nullable(Type.Integer()),
    max_tokens: Nullable(Type.Integer()),
    kind: OneOf(['text', 'embedding', 'image', 'speech', 'transcription', 'moderation', 'rerank']),
    // For Google's SDK, where the operator wants the native API's extra methods.
    ...Type.Partial(NativeModel).properties,
  },
  closed,
)

export const ListView = Type.Object(
  {
    object: Type.Literal('list'),
    data: Type.Array(ModelView),
    has_more: Type.Boolean(),
    first_id: Nullable(Type.String()),
    last_id: Nullable(Type.String()),
    models: Type.Optional(Type.Array(NativeModel)),
    nextPageToken: Type.Optional(Type.String()),
  },
  closed,
)

/** An error, in the shape of OpenAI's API, of Anthropic's or of Google's. */
export const ModelsError = Type.Union([
  Type.Object({
    error: Type.Object({
      message: Type.String(),
      type: Type.String(),
      param: Nullable(Type.String()),
      code: Nullable(Type.String()),
    }),
  }),
  Type.Object({
    type: Type.Literal('error'),
    error: Type.Object({ type: Type.String(), message: Type.String() }),
    request_id: Type.String(),
  }),
  Type.Object({
    error: Type.Object({ code: Type.Integer(), message: Type.String(), status: Type.String() }),
  }),
])

/**
 * One page of models.
 *
 * @param models all that the caller may call, in the catalogue's order
 * @throws GatewayError invalid_request for `before_id` or `after_id` that names none of them, and for both at once
 */
export function listView(
  models: readonly Model[],
  { limit, before_id, after_id }: Static<typeof ListQuery>,
): Static<typeof ListView> {
  if (before_id !== undefined && after_id !== undefined)
    throw invalidRequest('before_id: cannot be given together with after_id.', { param: 'before_id' })
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

/** A model as both SDKs read it. */
export function modelView(model: Model): Static<typeof ModelView> {
  return {
    id: model.id,
    object: 'model',
    created: Math.floor(model.created_at_ms / 1000),
    owned_by: 'tollgate',
    type: 'model',
    display_name: model.display_name,
    created_at: new Date(model.created_at_ms).toISOString(),
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
