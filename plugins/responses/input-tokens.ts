// The counting of a response's input tokens, by estimate; free of charge.
// https://platform.openai.com/docs/api-reference/responses/input-tokens
import { readCallTarget } from '../../src/calls/bodies/call-target.ts'
import { estimatedFor } from '../../src/calls/kinds/text/estimated-input.ts'
import { readTextBody } from '../../src/calls/kinds/text/read-body.ts'
import { findModel, within } from '../../src/calls/life/admission.ts'
import type { CallOrigin } from '../../src/calls/life/call.ts'
import type { CallParts } from '../../src/calls/parts.ts'
import { idHeaders, jsonAnswer } from '../../src/http/answers.ts'
import { responses as protocol } from '../../src/protocols/openai/responses/index.ts'
import { missingConversation } from '../../src/protocols/openai/responses/request.ts'
import { refusal } from '../../src/protocols/wire/json.ts'

/** As for chat completions: images come inline here too. */
export const RESPONSES_BODY_LIMIT_BYTES = 30 * 1024 * 1024

/**
 * `POST /v1/responses/input_tokens`. What the request continues is not counted, so it may continue nothing.
 * @throws GatewayError as for a response
 */
export const countInputTokens = (parts: CallParts, origin: CallOrigin): Promise<Response> =>
  within(parts, origin, async (admitted) => {
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
    if (lacks_conversation) throw missingConversation()
    return jsonAnswer({ object: 'response.input_tokens', input_tokens }, origin.request_id, idHeaders(origin))
  })
