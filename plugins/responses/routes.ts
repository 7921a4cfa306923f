// The responses surface: POST /v1/responses, whole, streamed and over a WebSocket; compaction of conversations; and token counts.
import { Elysia } from 'elysia'
import { COMMON_FORMS } from '../../src/access/gate.ts'
import { calls } from '../../src/app/surface/calls.ts'
import type { Gateway } from '../../src/app/surface/gateway.ts'
import { readCallTarget } from '../../src/calls/bodies/arrival.ts'
import { estimatedFor } from '../../src/calls/kinds/text/counting.ts'
import { readTextBody } from '../../src/calls/kinds/text/read-body.ts'
import { findModel, withAdmission } from '../../src/calls/life/admission.ts'
import type { CallOrigin } from '../../src/calls/life/call.ts'
import type { CallParts } from '../../src/calls/parts.ts'
import { compact, respond } from '../../src/calls/responses/serve.ts'
import { idHeaders, jsonAnswer } from '../../src/http/answers.ts'
import { responses as protocol } from '../../src/protocols/openai/responses/index.ts'
import { missingConversationError } from '../../src/protocols/openai/responses/request.ts'
import { refusal } from '../../src/protocols/wire/json.ts'
import { webSockets } from './socket/route.ts'
import { storedResponses } from './stored.ts'

/** The same limit as for chat completions, because requests contain images inline. */
const RESPONSES_BODY_LIMIT_BYTES = 30 * 1024 * 1024

/**
 * `POST /v1/responses/input_tokens`. Refuses a request with `previous_response_id`, because the earlier conversation is not counted.
 * @throws GatewayError as for a response
 */
export const countInputTokens = (parts: CallParts, origin: CallOrigin): Promise<Response> =>
  withAdmission(parts, origin, async (admitted) => {
    const body = await readTextBody(parts, admitted, {
      protocol,
      limit_bytes: RESPONSES_BODY_LIMIT_BYTES,
      isFree: () => true,
    })
    await body.rejectRemembered(protocol.name)
    const { previous_response_id } = await body.read(['previous_response_id'])
    if ((previous_response_id ?? null) !== null)
      throw refusal('previous_response_id', 'is not counted. Send the whole conversation as input.')
    const model = findModel(parts, admitted, readCallTarget(body.fields).model_id, 'text')
    const { input_tokens, lacks_conversation } = estimatedFor(model, await body.facts(protocol.name))
    if (lacks_conversation) throw missingConversationError()
    return jsonAnswer({ object: 'response.input_tokens', input_tokens }, origin.request_id, idHeaders(origin))
  })

type Parts = Pick<Gateway, 'calls' | 'requests' | 'content'>

const BODY_LIMIT_BYTES = RESPONSES_BODY_LIMIT_BYTES
const REQUEST = { body_limit_bytes: BODY_LIMIT_BYTES, target: readCallTarget, protocol }
const SURFACE = { surface: 'responses', forms: COMMON_FORMS, render: protocol.renderError }

/** New and kept responses as two separate instances, because hooks of an instance would also apply to routes inside it. */
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
