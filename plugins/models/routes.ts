// The models surface: GET /v1/models and GET /v1/models/{id}, for the SDKs of two providers.
import type { Static } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { Caller } from '../../src/access/gate.ts'
import { freeCalls } from '../../src/app/surface/calls.ts'
import { AnyError, clientApiOf, surfaceFor } from '../../src/app/surface/client-api.ts'
import type { Gateway } from '../../src/app/surface/gateway.ts'
import type { Surface } from '../../src/app/surface/origin.ts'
import { brandSlug } from '../../src/domain/brand.ts'
import { isServed, type Model } from '../../src/domain/catalogue.ts'
import { notFound } from '../../src/domain/errors.ts'
import { decodePathPart, ModelParams } from '../../src/http/parameters.ts'
import { failures } from '../../src/http/schema.ts'
import { nativeModel, nativePage } from '../../src/protocols/gemini/models.ts'
import { nativeSettings } from '../native/index.ts'
import { ListQuery, ListView, listView, ModelView, modelView } from './model.ts'

/** Clients of every API list models at this path, each with the key where its own API takes it: in a header, or for Google in `?key=`. */
const surfaceOf = (request: Request): Surface => surfaceFor('models', clientApiOf(request) ?? 'openai')

const tags = ['Models']

/** Hides models that are retired or unavailable, and models that the caller's key may not call. */
export function models(gateway: Pick<Gateway, 'calls' | 'requests'>) {
  const { catalogue } = gateway.calls

  const callable = ({ mayCall }: Caller): Model[] =>
    [...catalogue().models.values()].filter((model) => isServed(model) && mayCall(model.id))

  function find(caller: Caller, id: string): Model {
    const found = callable(caller).find((model) => model.id === id)
    if (found) return found
    throw notFound('Model not found. GET /v1/models lists the models that you may call.', {
      code: 'model_not_found',
      param: 'model',
    })
  }

  const owner = () => brandSlug(catalogue().brand)

  /** Google's SDK gets the same body with its own fields: it calls version v1 of its API at this path. */
  const isNative = (request: Request): boolean =>
    nativeSettings.of(catalogue()).extra_methods && clientApiOf(request) === 'google'

  const list = (
    all: Model[],
    query: Static<typeof ListQuery>,
    request: Request,
  ): Static<typeof ListView> => ({
    ...listView(all, query, owner()),
    ...(isNative(request) ? nativePage(all, query) : {}),
  })
  const one = (model: Model, request: Request): Static<typeof ModelView> => ({
    ...modelView(model, owner()),
    ...(isNative(request) ? nativeModel(model) : {}),
  })

  return new Elysia({ name: 'models' })
    .use(freeCalls(gateway, surfaceOf))
    .get('/v1/models', ({ caller, query, request }) => list(callable(caller), query, request), {
      query: ListQuery,
      response: { 200: ListView, ...failures(AnyError, 400, 401, 403, 429, 500) },
      detail: {
        tags,
        operationId: 'listModels',
        summary: 'List models',
        description: 'Lists the models that the key may call, in one body for clients of every API.',
      },
    })
    .get(
      '/v1/models/*',
      ({ caller, params, request }) => one(find(caller, decodePathPart(params['*'])), request),
      {
        params: ModelParams,
        response: { 200: ModelView, ...failures(AnyError, 401, 403, 404, 429, 500) },
        detail: { tags, operationId: 'getModel', summary: 'Read one model' },
      },
    )
}
