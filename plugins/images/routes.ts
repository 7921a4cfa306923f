// The images surface: POST /v1/images/generations, /v1/images/edits and /v1/images/compose.
import { type Context, Elysia } from 'elysia'
import { COMMON_FORMS } from '../../src/access/gate.ts'
import { calls } from '../../src/app/surface/calls.ts'
import type { Gateway } from '../../src/app/surface/gateway.ts'
import { type ImageCall, imageCalls } from '../../src/calls/kinds/image/call.ts'
import { rateHeaders } from '../../src/calls/kinds/image/rate.ts'
import type { Admitted, CallOrigin } from '../../src/calls/life/call.ts'
import { servePaid } from '../../src/calls/life/paid-call.ts'
import { unimplemented } from '../../src/domain/errors.ts'
import { renderImageError, renderImageErrorWithoutDebt } from '../../src/http/image-error.ts'
import { COMPOSE, editForm, GENERATION, type RequestForm } from './requests.ts'

const SURFACE = { surface: 'images', forms: COMMON_FORMS }

export function images(gateway: Pick<Gateway, 'calls' | 'requests' | 'content'>) {
  const { library } = gateway.content.images
  const kind = imageCalls(gateway.content.images)

  async function serve({ origin, set }: Call, form: RequestForm): Promise<Response> {
    const { request } = origin
    const call: ImageCall = {
      origin,
      read: (admitted: Admitted) =>
        form.read({ library, bodies: gateway.calls.bodies, catalogue: gateway.calls.catalogue }, admitted),
      onRate: (state) => Object.assign(set.headers, rateHeaders(state)),
    }
    try {
      return await servePaid(gateway.calls, kind, call)
    } catch (thrown) {
      // On a kept-alive socket the unread rest of the body would still arrive.
      if (request.body && !request.bodyUsed) set.headers.connection = 'close'
      throw thrown
    }
  }

  /** Authenticates first, so that only callers with a key learn which endpoints exist. */
  async function refuseVariations(origin: CallOrigin): Promise<never> {
    await gateway.calls.gate.admit(origin)
    throw unimplemented(
      'Variations are not supported. Send the image and a prompt such as "a variation of this" to /v1/images/edits.',
    )
  }

  const edits = new Elysia({ name: 'images: edits' })
    .use(calls(gateway, { ...SURFACE, render: renderImageError }))
    .post('/v1/images/edits', ({ origin, set, request }) => serve({ origin, set }, editForm(request)), {
      parse: 'none',
    })
  const others = new Elysia({ name: 'images: generations and compose' })
    .use(calls(gateway, { ...SURFACE, render: renderImageErrorWithoutDebt }))
    .post('/v1/images/generations', ({ origin, set }) => serve({ origin, set }, GENERATION), {
      parse: 'none',
    })
    .post('/v1/images/compose', ({ origin, set }) => serve({ origin, set }, COMPOSE), { parse: 'none' })
    .post('/v1/images/variations', ({ origin }) => refuseVariations(origin), {
      parse: 'none',
      detail: { hide: true },
    })
  return new Elysia({ name: 'images' }).use(edits).use(others)
}

interface Call {
  origin: CallOrigin
  set: { headers: Context['set']['headers'] }
}
