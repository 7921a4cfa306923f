// Owns the messages surface: POST /v1/messages, whole and streamed, and the counting of a request's tokens.
import { Elysia } from 'elysia'
import { MESSAGES_FORMS } from '../../src/access/gate.ts'
import { readAim } from '../../src/aim.ts'
import { failureAnswer } from '../../src/answers.ts'
import type { Dialect } from '../../src/conversion.ts'
import { notFound } from '../../src/errors.ts'
import type { Gateway } from '../../src/gateway.ts'
import { originOf, type Server } from '../../src/origin.ts'
import { STREAM_ERROR_EVENT } from '../../src/protocols/anthropic/errors.ts'
import { anthropic } from '../../src/protocols/anthropic/index.ts'
import { eventFrame } from '../../src/upstream/relay.ts'
import { createTokenCounter } from './count-tokens.ts'
import { forwardedHeaders, ID_HEADER, MESSAGES_BODY_LIMIT_BYTES, requireVersion } from './model.ts'

const DIALECT: Dialect = {
  protocol: anthropic,
  frame: eventFrame(STREAM_ERROR_EVENT),
  raw: true,
  shows_usage: true,
}
const SURFACE = { surface: 'messages', forms: MESSAGES_FORMS, render: anthropic.renderError }

/** `POST /v1/messages` and `POST /v1/messages/count_tokens`; what else the vendor has there is told not to be here. */
export function messages(gateway: Gateway) {
  const { exchange, gate, log, newRequestId } = gateway
  const countTokens = createTokenCounter(gateway)

  async function answer(
    request: Request,
    server: Server,
    serve: (origin: ReturnType<typeof originOf>) => Promise<Response>,
  ): Promise<Response> {
    const request_id = newRequestId()
    try {
      return await serve(originOf(request, request_id, server, SURFACE))
    } catch (thrown) {
      return failureAnswer({
        thrown,
        request,
        request_id,
        render: anthropic.renderError,
        log,
        id_header: ID_HEADER,
      })
    }
  }

  const create = (request: Request, server: Server) =>
    answer(request, server, (origin) =>
      exchange.run({
        ...origin,
        body_limit_bytes: MESSAGES_BODY_LIMIT_BYTES,
        aim(body) {
          requireVersion(request.headers)
          return readAim(body)
        },
        dialect: () => DIALECT,
        forwarded_headers: forwardedHeaders(request.headers),
        id_header: ID_HEADER,
      }),
    )

  /** In the surface's own shape, and with a request-id, as all of its answers. */
  const nothing = (request: Request, server: Server) =>
    answer(request, server, async ({ credential, address }) => {
      gate.admit(credential, address)
      throw notFound('There is nothing here. Use POST /v1/messages or POST /v1/messages/count_tokens.')
    })

  const unparsed = { parse: 'none' } as const
  return new Elysia({ name: 'messages' })
    .post('/v1/messages', ({ request, server }) => create(request, server), unparsed)
    .post(
      '/v1/messages/count_tokens',
      ({ request, server }) => answer(request, server, countTokens),
      unparsed,
    )
    .all('/v1/messages', ({ request, server }) => nothing(request, server), unparsed)
    .all('/v1/messages/*', ({ request, server }) => nothing(request, server), unparsed)
}
