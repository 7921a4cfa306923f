// Owns the models surface: GET /v1/models and GET /v1/models/{id}, for the SDKs of two vendors.
import { Elysia } from 'elysia'
import { type Caller, COMMON_FORMS } from '../../src/access/gate.ts'
import type { Model } from '../../src/domain/catalogue.ts'
import { notFound } from '../../src/domain/errors.ts'
import { anthropic } from '../../src/protocols/anthropic/index.ts'
import { openai } from '../../src/protocols/openai/index.ts'
import { serveFree } from '../../src/surface/free-call.ts'
import type { Gateway } from '../../src/surface/gateway.ts'
import type { Server } from '../../src/surface/origin.ts'
import { listView, modelView, readPage } from './model.ts'

const PATH = '/v1/models'

/** Who sends a version speaks the messages protocol, and is refused in its shape; all others in OpenAI's. */
const shapeFor = ({ headers }: Request) =>
  headers.has('anthropic-version') || headers.has('vendor-version')
    ? { render: anthropic.renderError, id_header: 'request-id' }
    : { render: openai.renderError }

/** Only models that the caller's key may call are listed, and none that is retired; no others are told to exist. */
export function models(gateway: Gateway) {
  const { catalogue } = gateway

  const callable = ({ mayCall }: Caller): Model[] =>
    [...catalogue().models.values()].filter(({ id, retired }) => !retired && mayCall(id))

  function find(caller: Caller, id: string) {
    const found = callable(caller).find((model) => model.id === id)
    if (found) return modelView(found)
    throw notFound('There is no such model that you may call. GET /v1/models lists those there are.', {
      code: 'model_not_found',
      param: 'model',
    })
  }

  const serve = (request: Request, server: Server, answer: (caller: Caller, url: URL) => unknown) =>
    serveFree(gateway, {
      ...shapeFor(request),
      surface: 'models',
      forms: COMMON_FORMS,
      request,
      server,
      answer: (caller) => answer(caller, new URL(request.url)),
    })

  return new Elysia({ name: 'models' })
    .get(PATH, ({ request, server }) =>
      serve(request, server, (caller, { searchParams }) =>
        listView(callable(caller), readPage(searchParams)),
      ),
    )
    .get(`${PATH}/*`, ({ request, server }) =>
      serve(request, server, (caller, { pathname }) => find(caller, idIn(pathname))),
    )
}

/** The id that a path names: all of its rest, for ids may hold slashes, written as they are or encoded. */
function idIn(pathname: string): string {
  const encoded = pathname.slice(PATH.length + 1)
  try {
    return decodeURIComponent(encoded)
  } catch {
    return encoded
  }
}
