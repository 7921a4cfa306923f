// The messages surface: POST /v1/messages, whole and streamed, and the token count of a request.
import { Elysia } from 'elysia'
import { MESSAGES_FORMS } from '../../src/access/gate.ts'
import { calls } from '../../src/app/surface/calls.ts'
import type { Gateway } from '../../src/app/surface/gateway.ts'
import { readCallTarget } from '../../src/calls/bodies/arrival.ts'
import { textCalls } from '../../src/calls/kinds/text/call.ts'
import type { Dialect } from '../../src/calls/kinds/text/dialect.ts'
import type { CallOrigin } from '../../src/calls/life/call.ts'
import { servePaid } from '../../src/calls/life/paid-call.ts'
import { notFound } from '../../src/domain/errors.ts'
import { PING_EVENT, STREAM_ERROR_EVENT } from '../../src/protocols/anthropic/errors.ts'
import { anthropic } from '../../src/protocols/anthropic/index.ts'
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
export function messages(gateway: Pick<Gateway, 'calls' | 'requests'>) {
  const { gate } = gateway.calls

  function create(origin: CallOrigin): Promise<Response> {
    const { headers } = origin.request
    return servePaid(gateway.calls, textCalls, {
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

  /** Refuses unknown paths in Anthropic's error format, with a request-id. */
  async function refuse(origin: CallOrigin): Promise<never> {
    await gate.admit(origin)
    throw notFound('No such endpoint. Use POST /v1/messages or POST /v1/messages/count_tokens.')
  }

  const unparsed = { parse: 'none' } as const
  const hidden = { ...unparsed, detail: { hide: true } }
  return new Elysia({ name: 'messages' })
    .use(calls(gateway, SURFACE))
    .post('/v1/messages', ({ origin }) => create(origin), unparsed)
    .post('/v1/messages/count_tokens', ({ origin }) => countTokens(gateway.calls, origin), unparsed)
    .all('/v1/messages', ({ origin }) => refuse(origin), hidden)
    .all('/v1/messages/*', ({ origin }) => refuse(origin), hidden)
}
