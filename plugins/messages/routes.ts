// The messages surface: POST /v1/messages, whole and streamed, and the counting of a request's tokens.

import { Elysia } from 'elysia'
import { MESSAGES_FORMS } from '../../src/access/gate.ts'
import { notFound } from '../../src/domain/errors.ts'
import { readCallTarget } from '../../src/exchange/bodies/call-target.ts'
import type { CallOrigin } from '../../src/exchange/life/call.ts'
import { servePaid } from '../../src/exchange/life/paid-call.ts'
import { textCalls } from '../../src/exchange/text/call.ts'
import type { Dialect } from '../../src/exchange/text/dialect.ts'
import { PING_EVENT, STREAM_ERROR_EVENT } from '../../src/protocols/anthropic/errors.ts'
import { anthropic } from '../../src/protocols/anthropic/index.ts'
import { calls } from '../../src/surface/calls.ts'
import type { Gateway } from '../../src/surface/gateway.ts'
import { eventFrame } from '../../src/upstream/relay.ts'
import { countTokens } from './count-tokens.ts'
import { forwardedHeaders, ID_HEADER, MESSAGES_BODY_LIMIT_BYTES, requireVersion } from './model.ts'

const DIALECT: Dialect = {
  protocol: anthropic,
  frame: eventFrame(STREAM_ERROR_EVENT, PING_EVENT),
  raw: true,
  shows_usage: true,
}
const SURFACE = {
  surface: 'messages',
  forms: MESSAGES_FORMS,
  render: anthropic.renderError,
  id_header: ID_HEADER,
}

/** `POST /v1/messages` and `POST /v1/messages/count_tokens`; 404 for every other path below. */
export function messages(gateway: Pick<Gateway, 'exchange' | 'requests'>) {
  const { exchange } = gateway
  const { gate } = exchange

  function create(origin: CallOrigin): Promise<Response> {
    const { headers } = origin.request
    return servePaid(exchange, textCalls, {
      origin,
      body_limit_bytes: MESSAGES_BODY_LIMIT_BYTES,
      target(body) {
        requireVersion(headers)
        return readCallTarget(body)
      },
      protocol: anthropic,
      dialect: () => DIALECT,
      forwarded_headers: forwardedHeaders(headers),
    })
  }

  /** In the surface's own shape, with a request-id like all of its answers. */
  async function refuse(origin: CallOrigin): Promise<never> {
    await gate.admit(origin)
    throw notFound('No such endpoint. Use POST /v1/messages or POST /v1/messages/count_tokens.')
  }

  const unparsed = { parse: 'none' } as const
  return new Elysia({ name: 'messages' })
    .use(calls(gateway, SURFACE))
    .post('/v1/messages', ({ origin }) => create(origin), unparsed)
    .post('/v1/messages/count_tokens', ({ origin }) => countTokens(exchange, origin), unparsed)
    .all('/v1/messages', ({ origin }) => refuse(origin), unparsed)
    .all('/v1/messages/*', ({ origin }) => refuse(origin), unparsed)
}
