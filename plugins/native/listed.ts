// The list of models in the native shape, and one of them: 501 unless the operator wants the extra methods.
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { Caller } from '../../src/access/gate.ts'
import { isServed, type Model } from '../../src/domain/catalogue.ts'
import { notFound } from '../../src/domain/errors.ts'
import { decodePathPart } from '../../src/http/uri.ts'
import { NativeModel, nativeModel, nativePage } from '../../src/protocols/gemini/models.ts'
import { freeCalls } from '../../src/surface/calls.ts'
import type { Gateway } from '../../src/surface/gateway.ts'
import type { Surface } from '../../src/surface/origin.ts'
import { failures } from '../../src/surface/responses.ts'
import { notImplemented } from './model.ts'

const NativeError = Type.Object({
  error: Type.Object({ code: Type.Integer(), message: Type.String(), status: Type.String() }),
})
const NativeModels = Type.Object(
  { models: Type.Array(NativeModel), nextPageToken: Type.Optional(Type.String()) },
  { additionalProperties: false },
)

/** `GET /v1beta/models` and `GET /v1beta/models/{id}`. */
export function listed(gateway: Gateway, surface: Surface) {
  const { catalogue } = gateway

  /** @throws GatewayError unimplemented where the extra methods are off */
  function callable({ mayCall }: Caller): Model[] {
    const { models, native } = catalogue()
    if (!native.extra_methods) throw notImplemented()
    return [...models.values()].filter((model) => isServed(model) && mayCall(model.id))
  }

  function find(caller: Caller, id: string): Model {
    const found = callable(caller).find((model) => model.id === id)
    if (found) return found
    throw notFound('There is no such model that you may call. GET /v1beta/models lists those there are.')
  }

  return new Elysia({ name: 'native: models' })
    .use(freeCalls(gateway, surface))
    .get('/v1beta/models', ({ caller, query }) => nativePage(callable(caller), query), {
      response: { 200: NativeModels, ...failures(NativeError, 400, 401, 403, 429, 500, 501) },
    })
    .get('/v1beta/models/*', ({ caller, params }) => nativeModel(find(caller, decodePathPart(params['*']))), {
      params: Type.Object({ '*': Type.String() }),
      response: { 200: NativeModel, ...failures(NativeError, 401, 403, 404, 429, 500, 501) },
    })
}
