// The list of models for callers: its query, its pages, and one body for the SDKs of two providers.
import { type Static, Type } from '@sinclair/typebox'
import { inputsOf } from '../../src/catalogue/takes.ts'
import { INPUT_MEDIA, type Model } from '../../src/domain/catalogue.ts'
import { invalidRequest } from '../../src/domain/errors.ts'
import { shutdownDateOf } from '../../src/domain/model-ends.ts'
import { Limit } from '../../src/http/paging.ts'
import { Closed, Nullable, OneOf } from '../../src/http/schema.ts'
import { NativeModel } from '../../src/protocols/gemini/models.ts'

/**
 * https://platform.claude.com/docs/en/api/models/list. OpenAI's list has no pages, so without `limit` the list is complete.
 * Other parameters are ignored: SDKs send some of their own, such as `beta=true`.
 */
export const ListQuery = Type.Object(
  {
    limit: Type.Optional({
      ...Limit,
      description: 'Maximum number of models on a page; all by default.',
      examples: [2],
    }),
    before_id: Type.Optional(
      Type.String({
        must: 'the id of a model',
        description: 'Lists the models before this one. Cannot be combined with `after_id`.',
      }),
    ),
    after_id: Type.Optional(
      Type.String({
        must: 'the id of a model',
        description: 'Lists the models after this one.',
        examples: ['sim-flash'],
      }),
    ),
  },
  { additionalProperties: true },
)

const unused = { description: 'Always null.' }

/**
 * A model for OpenAI's SDK (`object`, `created`, `owned_by`) and Anthropic's (`type` and the fields after it). `kind` is
 * Tollgate's own: it determines the endpoints that serve the model.
 */
export const ModelView = Closed(
  {
    id: Type.String({ description: 'The model id to use in requests.' }),
    object: Type.Literal('model'),
    created: Type.Integer({ description: 'Unix time in seconds.' }),
    owned_by: Type.String({ description: 'The operator of this service; the same for all models.' }),
    shutdown_date: Nullable(
      Type.String({
        description: 'The day of its shutdown, such as `2027-03-31`; null if none is known.',
      }),
    ),
    type: Type.Literal('model'),
    display_name: Type.String({ description: 'A name to display.' }),
    created_at: Type.String({ description: 'The same as `created`, as ISO 8601 in UTC.' }),
    lifecycle: OneOf(['active', 'deprecated'], {
      description: '`deprecated` if it has a `shutdown_date`. It can be called as long as it is listed.',
    }),
    deprecated_at: Type.Null(unused),
    retires_at: Nullable(Type.String({ description: 'The same as `shutdown_date`, as ISO 8601 in UTC.' })),
    line: Type.Null(unused),
    capabilities: Type.Null(unused),
    max_input_tokens: Nullable(
      Type.Integer({ description: 'Maximum number of input tokens of a text model.' }),
    ),
    max_tokens: Nullable(Type.Integer({ description: 'Maximum number of output tokens of a text model.' })),
    kind: OneOf(['text', 'embedding', 'image', 'speech', 'transcription', 'moderation', 'rerank'], {
      description: 'The kind of model, which determines the endpoints that serve it.',
    }),
    takes: Nullable(
      Type.Array(OneOf(['text', ...INPUT_MEDIA]), {
        description: 'Content that requests may include: text, images, audio, files, tools. Null if unknown.',
      }),
    ),
    // Fields for Google's SDK, present if the operator enables the native API's extra methods.
    ...Type.Partial(NativeModel).properties,
  },
  { description: 'The model.' },
)

export const ListView = Closed(
  {
    object: Type.Literal('list'),
    data: Type.Array(ModelView, { description: 'The models, in the order of the catalogue.' }),
    has_more: Type.Boolean({ description: 'Whether more models follow this page.' }),
    first_id: Nullable(Type.String({ description: 'The first model of the page.' })),
    last_id: Nullable(Type.String({ description: 'The last model of the page.' })),
    models: Type.Optional(Type.Array(NativeModel, { description: "The same models for Google's clients." })),
    nextPageToken: Type.Optional(
      Type.String({ description: "For Google's clients: the `pageToken` of the next page." }),
    ),
  },
  { description: 'The models.' },
)

/**
 * Returns one page of models.
 * @param models all that the caller may call, in the catalogue's order
 * @param owned_by slug of the operator's brand
 * @throws GatewayError invalid_request if `before_id` or `after_id` names none of them, or if both are present
 */
export function listView(
  models: readonly Model[],
  { limit, before_id, after_id }: Static<typeof ListQuery>,
  owned_by: string,
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
    data: page.map((model) => modelView(model, owned_by)),
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

/**
 * Returns a model for both SDKs. `shutdown_date` is OpenAI's (openai's resources/models.d.ts), `lifecycle` and `retires_at` are
 * Anthropic's (@anthropic-ai/sdk's resources/models.d.ts), where a past date means that the retirement is overdue.
 */
export function modelView(model: Model, owned_by: string): Static<typeof ModelView> {
  const shutdown_date = shutdownDateOf(model) ?? null
  return {
    id: model.id,
    object: 'model',
    created: Math.floor(model.created_at_ms / 1000),
    owned_by,
    shutdown_date,
    type: 'model',
    display_name: model.display_name,
    created_at: new Date(model.created_at_ms).toISOString(),
    lifecycle: shutdown_date === null ? 'active' : 'deprecated',
    deprecated_at: null,
    retires_at: shutdown_date === null ? null : new Date(shutdown_date).toISOString(),
    line: null,
    capabilities: null,
    max_input_tokens: model.kind === 'text' ? model.context : null,
    max_tokens: model.kind === 'text' ? model.max_output_tokens : null,
    kind: model.kind,
    takes: inputsOf(model)?.slice() ?? null,
  }
}
