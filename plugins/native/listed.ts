// The list of models, and one model, in the native format. 501 unless the operator enables the extra methods.
import { Type } from '@sinclair/typebox'
import { type DocumentDecoration, Elysia } from 'elysia'
import type { Caller } from '../../src/access/gate.ts'
import { freeCalls } from '../../src/app/surface/calls.ts'
import type { Gateway } from '../../src/app/surface/gateway.ts'
import type { Surface } from '../../src/app/surface/origin.ts'
import { isServed, type Model } from '../../src/domain/catalogue.ts'
import { notFound } from '../../src/domain/errors.ts'
import { decodePathPart, ModelParams } from '../../src/http/parameters.ts'
import { Closed, failures } from '../../src/http/schema.ts'
import { GoogleError } from '../../src/protocols/gemini/errors.ts'
import { DEFAULT_PAGE_SIZE, NativeModel, nativeModel, nativePage } from '../../src/protocols/gemini/models.ts'
import { notImplemented } from './model.ts'
import { nativeSettings } from './settings.ts'

const NativeModels = Closed(
  {
    models: Type.Array(NativeModel, { description: 'The models.' }),
    nextPageToken: Type.Optional(Type.String({ description: 'The `pageToken` of the next page.' })),
  },
  { description: 'A page of models.' },
)
const tags = ['Gemini API']
/** For the API reference only: `nativePage` parses the raw values. */
const PAGE_PARAMETERS: NonNullable<DocumentDecoration['parameters']> = [
  {
    name: 'pageSize',
    in: 'query',
    description: 'How many models a page has at most.',
    schema: { type: 'integer', minimum: 0, maximum: 999_999_999, default: DEFAULT_PAGE_SIZE },
    example: 2,
  },
  {
    name: 'pageToken',
    in: 'query',
    description: 'The `nextPageToken` of the page before.',
    schema: { type: 'string' },
  },
]

export function listed(gateway: Pick<Gateway, 'calls' | 'requests'>, surface: Surface) {
  const { catalogue } = gateway.calls

  /** @throws GatewayError unimplemented if the extra methods are off */
  function callable({ mayCall }: Caller): Model[] {
    const current = catalogue()
    if (!nativeSettings.of(current).extra_methods) throw notImplemented()
    return [...current.models.values()].filter((model) => isServed(model) && mayCall(model.id))
  }

  function find(caller: Caller, id: string): Model {
    const found = callable(caller).find((model) => model.id === id)
    if (found) return found
    throw notFound('Model not found. GET /v1beta/models lists the models that you may call.')
  }

  return new Elysia({ name: 'native: models' })
    .use(freeCalls(gateway, surface))
    .get('/v1beta/models', ({ caller, query }) => nativePage(callable(caller), query), {
      response: { 200: NativeModels, ...failures(GoogleError, 400, 401, 403, 429, 500, 501) },
      detail: {
        tags,
        operationId: 'listNativeModels',
        summary: 'List models',
        description:
          "In the shape of Google's API. 501 unless the operator has switched it on: `GET /v1/models` always works.",
        parameters: PAGE_PARAMETERS,
      },
    })
    .get('/v1beta/models/*', ({ caller, params }) => nativeModel(find(caller, decodePathPart(params['*']))), {
      params: ModelParams,
      response: { 200: NativeModel, ...failures(GoogleError, 401, 403, 404, 429, 500, 501) },
      detail: {
        tags,
        operationId: 'getNativeModel',
        summary: 'Read one model',
        description: "In the shape of Google's API. 501 unless the operator has switched it on.",
      },
    })
}
