// The scoped Elysia plugins of surfaces: a call's ID and origin, its caller, and failures in the surface's format.
// They have no name, since Elysia keeps only one of several plugins with the same name. They are `scoped`, so that they
// apply to the surface that uses them and to no sibling. `derive` runs before a route's schemas are checked: 401 before 400.
import { Elysia, StatusMap } from 'elysia'
import type { CallOrigin } from '../../calls/life/call.ts'
import { rateLimited } from '../../domain/errors.ts'
import { idHeaders, jsonAnswer } from '../../http/answers.ts'
import { doubledParameters } from '../../http/parameters.ts'
import { refusalBy } from './elysia-errors.ts'
import { answerLater } from './failed.ts'
import type { Gateway } from './gateway.ts'
import { originOf, type Surface } from './origin.ts'

/** A surface, or a function that chooses one by the request. */
type SurfaceOf = Surface | ((request: Request) => Surface)

type SurfaceParts = Pick<Gateway, 'calls' | 'requests'>

/** Gives every call an `origin` with its ID, and renders every exception in the surface's format. */
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

/** `calls` for public routes that return plain values, sent as JSON with the call's ID. */
export const openCalls = (gateway: SurfaceParts, surface: SurfaceOf) =>
  calls(gateway, surface).mapResponse({ as: 'scoped' }, ({ responseValue, origin, set }) => {
    // Elysia also calls this for failures: with undefined before an error hook has answered, then with that answer, which has its ID.
    if (responseValue === undefined) return undefined
    if (!(responseValue instanceof Response))
      return jsonAnswer(responseValue, origin.request_id, idHeaders(origin), statusOf(set.status))
    if (!responseValue.headers.has('x-request-id'))
      responseValue.headers.set('x-request-id', origin.request_id)
    return undefined
  })

/** Admits the caller of a free call. @throws GatewayError as `Gate.admit`; rate_limited over the key's limit of free requests */
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

/** Elysia also accepts statuses by name. */
const statusOf = (status: number | keyof StatusMap = 200): number =>
  typeof status === 'number' ? status : StatusMap[status]

/**
 * `openCalls` that require an API key: routes receive the `caller`. These calls do not count against call limits, since callers
 * use them to read their limits; they have a separate limit, `reads_per_minute`.
 */
export const freeCalls = (gateway: SurfaceParts, surface: SurfaceOf) =>
  openCalls(gateway, surface)
    .derive({ as: 'scoped' }, async ({ origin }) => ({ caller: await admitReader(gateway, origin) }))
    .onTransform({ as: 'scoped' }, ({ query, request }) => {
      Object.assign(query, doubledParameters(request.url))
    })
