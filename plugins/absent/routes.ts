// Routes of all other paths under /v1/: refusals in the format of the client's API.
import { Elysia } from 'elysia'
import { calls } from '../../src/app/surface/calls.ts'
import { type ClientApi, clientApiOf, surfaceFor } from '../../src/app/surface/client-api.ts'
import type { Gateway } from '../../src/app/surface/gateway.ts'
import type { Surface } from '../../src/app/surface/origin.ts'
import type { CallOrigin } from '../../src/calls/life/call.ts'
import { type GatewayError, notFound, unimplemented } from '../../src/domain/errors.ts'
import { absentApi, adviceOn, areaOf } from './model.ts'

const apiOf = (request: Request): ClientApi =>
  clientApiOf(request) ?? absentApi(areaOf(request.url))?.of ?? 'openai'

const surfaceOf = (request: Request): Surface => surfaceFor('absent', apiOf(request))

/**
 * In Google's format, an API that is not implemented is 501, as on the native surface. In the others it is 404, because their SDKs
 * would repeat the request after a 501.
 */
function refusal(request: Request): GatewayError {
  const area = areaOf(request.url)
  const absent = absentApi(area)
  if (!absent) return notFound(`No such endpoint. ${adviceOn(area)}`)
  const message = `The ${area} API is not implemented here. ${absent.instead}`
  return apiOf(request) === 'google' ? unimplemented(message) : notFound(message)
}

/** Callers need a valid key to get the refusal. */
export function absent(gateway: Pick<Gateway, 'calls' | 'requests'>) {
  async function refuse(origin: CallOrigin): Promise<never> {
    await gateway.calls.gate.admit(origin)
    throw refusal(origin.request)
  }
  // The API reference does not list these paths.
  const unparsed = { parse: 'none', detail: { hide: true } } as const
  return new Elysia({ name: 'absent' })
    .use(calls(gateway, surfaceOf))
    .all('/v1/:area', ({ origin }) => refuse(origin), unparsed)
    .all('/v1/:area/*', ({ origin }) => refuse(origin), unparsed)
}
