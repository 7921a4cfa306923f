// The responses surface: POST /v1/responses, whole and streamed, and the summing up of conversations.

import { Elysia } from 'elysia'
import { COMMON_FORMS } from '../../src/access/gate.ts'
import { notFound } from '../../src/domain/errors.ts'
import { readCallTarget } from '../../src/exchange/bodies/call-target.ts'
import { compact, respond } from '../../src/exchange/responses/serve.ts'
import { OpenAIError } from '../../src/protocols/openai/errors.ts'
import { responses as protocol } from '../../src/protocols/openai/responses/index.ts'
import { calls, freeCalls } from '../../src/surface/calls.ts'
import type { Gateway } from '../../src/surface/gateway.ts'
import { failures } from '../../src/surface/responses.ts'
import { UpgradeView } from './stored-views.ts'

/** As for chat completions: images come inline here too. */
const BODY_LIMIT_BYTES = 30 * 1024 * 1024
const REQUEST = { body_limit_bytes: BODY_LIMIT_BYTES, target: readCallTarget, protocol }
const SURFACE = { surface: 'responses', forms: COMMON_FORMS, render: protocol.renderError }

/** `POST /v1/responses` and `POST /v1/responses/compact`; 426 where an agent asks for a WebSocket. */
export function responses(gateway: Pick<Gateway, 'exchange' | 'requests' | 'content'>) {
  const parts = { exchange: gateway.exchange, ...gateway.content }
  const unparsed = { parse: 'none' } as const
  return new Elysia({ name: 'responses' })
    .use(calls(gateway, SURFACE))
    .post('/v1/responses', ({ origin }) => respond(parts, origin, REQUEST), unparsed)
    .post('/v1/responses/compact', ({ origin }) => compact(parts, origin, REQUEST), unparsed)
    .use(upgrades(gateway))
}

/** Codex asks for a WebSocket first, and goes on at once by POST where the upgrade is refused. */
const upgrades = (gateway: Pick<Gateway, 'exchange' | 'requests'>) =>
  new Elysia({ name: 'responses: upgrades' }).use(freeCalls(gateway, SURFACE)).get(
    '/v1/responses',
    ({ request, set }) => {
      if (!request.headers.has('upgrade'))
        throw notFound('No such endpoint. Use POST /v1/responses, or GET /v1/responses/{id}.')
      set.status = 426
      Object.assign(set.headers, { upgrade: 'HTTP/1.1', connection: 'upgrade' })
      return { error: { message: 'WebSocket is not supported. Use POST /v1/responses.' } }
    },
    { response: { 426: UpgradeView, ...failures(OpenAIError, 401, 403, 404, 429) } },
  )
