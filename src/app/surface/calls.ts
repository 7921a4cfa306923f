// The scoped Elysia plugins of surfaces: a call's id and origin, its caller, and failures in the surface's shape.
// They have no name, for Elysia keeps only one of several plugins with the same name. They are `scoped`, so that they
// reach the surface that uses them and no sibling. `derive` comes before a route's schemas are checked: 401 before 400.
import { Elysia, StatusMap } from 'elysia'
import type { CallOrigin } from '../../calls/life/call.ts'
import { rateLimited } from '../../domain/errors.ts'
import { idHeaders, jsonAnswer } from '../../http/answers.ts'
import { doubledParameters } from '../../http/parameters.ts'
import { refusalBy } from './elysia-errors.ts'
import { answerLater } from './failed.ts'
import type { Gateway } from './gateway.ts'
import { originOf, type Surface } from './origin.ts'

/** A surface, or how a request tells which of several shapes it is to be answered in. */
type SurfaceOf = Surface | ((request: Request) => Surface)

type SurfaceParts = Pick<Gateway, 'calls' | 'requests'>

/** Every call gets an `origin`, in which its id is; whatever is thrown leaves in the surface's shape. */
export function calls(gateway: SurfaceParts, surface: SurfaceOf) {
  const { newRequestId, sockets } = gateway.requests
  const surfaceOf = typeof surface === 'function' ? surface : () => surface
  return new Elysia()
    .derive({ as: 'scoped' }, ({ request }) => ({
      origin: originOf(request, newRequestId(), sockets, surfaceOf(request)),
    }))
    .onError({ as: 'scoped' }, ({ error, request, origin }) =>
      answerLater(gateway, surfaceOf(request), {
        thrown: refusalBy(error),
        request,
        request_id: origin?.request_id ?? newRequestId(),
        known: origin?.known,
      }),
    )
}

/** `calls` whose routes return plain values, which leave as JSON with the call's id. Anybody may make them. */
export const openCalls = (gateway: SurfaceParts, surface: SurfaceOf) =>
  calls(gateway, surface).mapResponse({ as: 'scoped' }, ({ responseValue, origin, set }) => {
    // Elysia asks about failures too: with undefined while no error hook has answered, then with the failure and its id.
    if (responseValue === undefined) return undefined
    if (!(responseValue instanceof Response))
      return jsonAnswer(responseValue, origin.request_id, idHeaders(origin), statusOf(set.status))
    if (!responseValue.headers.has('x-request-id'))
      responseValue.headers.set('x-request-id', origin.request_id)
    return undefined
  })

/** The caller of a free call. @throws GatewayError as the gate does; rate_limited if the key has read too much */
export async function admitReader(
  { calls: { gate, catalogue }, requests: { reads } }: SurfaceParts,
  origin: CallOrigin,
) {
  const caller = await gate.admit(origin)
  const limit = catalogue().limits.reads_per_minute
  const { admitted, resets_in_s: retry_after_s } = reads.take(caller.key.id, limit)
  if (!admitted)
    throw rateLimited(
      `This API key may make ${limit} free requests a minute. Retry after ${retry_after_s} s, or read larger pages.`,
      { retry_after_s },
    )
  return caller
}

/** Elysia takes statuses by their names, too. */
const statusOf = (status: number | keyof StatusMap = 200): number =>
  typeof status === 'number' ? status : StatusMap[status]

/**
 * `openCalls` for those who have a key: routes get their `caller`. Such calls count against no limit of calls, for they are
 * how callers look at their limits; they have one of their own, `reads_per_minute`.
 */
export const freeCalls = (gateway: SurfaceParts, surface: SurfaceOf) =>
  openCalls(gateway, surface)
    .derive({ as: 'scoped' }, async ({ origin }) => ({ caller: await admitReader(gateway, origin) }))
    .onTransform({ as: 'scoped' }, ({ query, request }) => {
      Object.assign(query, doubledParameters(request.url))
    })
