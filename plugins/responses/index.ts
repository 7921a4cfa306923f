// The responses surface: POST /v1/responses, whole and streamed, and the summing up of conversations.

import { Elysia } from 'elysia'
import { COMMON_FORMS } from '../../src/access/gate.ts'
import { notFound } from '../../src/domain/errors.ts'
import type { CallOrigin } from '../../src/exchange/admission.ts'
import { readCallTarget } from '../../src/exchange/call-target.ts'
import { servePaid } from '../../src/exchange/paid-call.ts'
import { textCalls } from '../../src/exchange/text/call.ts'
import { idHeaders } from '../../src/http/answers.ts'
import { responses as protocol } from '../../src/protocols/openai/responses/index.ts'
import { calls } from '../../src/surface/calls.ts'
import type { Gateway } from '../../src/surface/gateway.ts'
import { ResponseCall } from './call.ts'

/** As for chat completions: images come inline here too. */
const BODY_LIMIT_BYTES = 30 * 1024 * 1024
const SURFACE = { surface: 'responses', forms: COMMON_FORMS, render: protocol.renderError }

/** `POST /v1/responses` and `POST /v1/responses/compact`; 426 where an agent asks for a WebSocket. */
export function responses(gateway: Gateway) {
  function create(origin: CallOrigin, only_compacts: boolean): Promise<Response> {
    const call = new ResponseCall(gateway, origin, only_compacts)
    return servePaid(gateway.exchange, textCalls, {
      ...origin,
      body_limit_bytes: BODY_LIMIT_BYTES,
      target: readCallTarget,
      protocol,
      revise: call.revise,
      dialect: call.dialect,
      forwarded_headers: {},
    })
  }

  /** Codex asks for a WebSocket first, and goes on at once by POST where it is told that there is none. */
  function upgrade(origin: CallOrigin): Response {
    if (!origin.request.headers.has('upgrade'))
      throw notFound('No such endpoint. Use POST /v1/responses, or GET /v1/responses/{id}.')
    const headers = { ...idHeaders(origin), upgrade: 'HTTP/1.1', connection: 'upgrade' }
    return new Response(null, { status: 426, headers })
  }

  const unparsed = { parse: 'none' } as const
  return new Elysia({ name: 'responses' })
    .use(calls(gateway, SURFACE))
    .post('/v1/responses', ({ origin }) => create(origin, false), unparsed)
    .post('/v1/responses/compact', ({ origin }) => create(origin, true), unparsed)
    .get('/v1/responses', ({ origin }) => upgrade(origin))
}
