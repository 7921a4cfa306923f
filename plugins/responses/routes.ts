// The responses surface: POST /v1/responses, whole and streamed, the same over a WebSocket, and the summing up of conversations.
import { Elysia } from 'elysia'
import { COMMON_FORMS } from '../../src/access/gate.ts'
import { calls } from '../../src/app/surface/calls.ts'
import type { Gateway } from '../../src/app/surface/gateway.ts'
import { readCallTarget } from '../../src/calls/bodies/call-target.ts'
import { compact, respond } from '../../src/calls/responses/serve.ts'
import { responses as protocol } from '../../src/protocols/openai/responses/index.ts'
import { countInputTokens, RESPONSES_BODY_LIMIT_BYTES } from './input-tokens.ts'
import { webSockets } from './socket/route.ts'
import { storedResponses } from './stored.ts'

type Parts = Pick<Gateway, 'calls' | 'requests' | 'content'>

const BODY_LIMIT_BYTES = RESPONSES_BODY_LIMIT_BYTES
const REQUEST = { body_limit_bytes: BODY_LIMIT_BYTES, target: readCallTarget, protocol }
const SURFACE = { surface: 'responses', forms: COMMON_FORMS, render: protocol.renderError }

/** New and kept responses, beside each other: hooks of the one would reach the routes of the other inside it. */
export const responses = (gateway: Parts) =>
  new Elysia({ name: 'responses: new and kept' }).use(newResponses(gateway)).use(storedResponses(gateway))

/** `POST /v1/responses`, `POST /v1/responses/compact` and `POST /v1/responses/input_tokens`; `GET /v1/responses` as a WebSocket. */
function newResponses(gateway: Parts) {
  const parts = { calls: gateway.calls, ...gateway.content }
  const unparsed = { parse: 'none' } as const
  return new Elysia({ name: 'responses' })
    .use(calls(gateway, SURFACE))
    .post('/v1/responses', ({ origin }) => respond(parts, origin, REQUEST), unparsed)
    .post('/v1/responses/compact', ({ origin }) => compact(parts, origin, REQUEST), unparsed)
    .post('/v1/responses/input_tokens', ({ origin }) => countInputTokens(gateway.calls, origin), unparsed)
    .use(webSockets(gateway, SURFACE, REQUEST))
}
