// Endpoints that providers have and this gateway lacks: every path under /v1/ without a surface, refused in the client's own format.
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
 * In Google's dialect what is not implemented is 501, as on the native surface. In the others it is 404: their SDKs would
 * send the request again after a 501.
 */
function refusal(request: Request): GatewayError {
  const area = areaOf(request.url)
  const absent = absentApi(area)
  if (!absent) return notFound(`No such endpoint. ${adviceOn(area)}`)
  const message = `The ${area} API is not implemented here. ${absent.instead}`
  return apiOf(request) === 'google' ? unimplemented(message) : notFound(message)
}

/** Only callers with a key are told what is not served. */
export function absent(gateway: Pick<Gateway, 'calls' | 'requests'>) {
  async function refuse(origin: CallOrigin): Promise<never> {
    await gateway.calls.gate.admit(origin)
    throw refusal(origin.request)
  }
  // 404, with what to do instead: the API reference leaves them out.
  const unparsed = { parse: 'none', detail: { hide: true } } as const
  return new Elysia({ name: 'absent' })
    .use(calls(gateway, surfaceOf))
    .all('/v1/:area', ({ origin }) => refuse(origin), unparsed)
    .all('/v1/:area/*', ({ origin }) => refuse(origin), unparsed)
}
