// The free token count of a native request: by the provider if it has such an endpoint, otherwise an estimate.
import type { TextBody } from '../../src/calls/kinds/text/body.ts'
import { countUpstream, estimatedFor } from '../../src/calls/kinds/text/counting.ts'
import { readTextBody } from '../../src/calls/kinds/text/read-body.ts'
import { findModel, withAdmission } from '../../src/calls/life/admission.ts'
import type { CallOrigin } from '../../src/calls/life/call.ts'
import type { CallParts } from '../../src/calls/parts.ts'
import { idHeaders, jsonAnswer } from '../../src/http/answers.ts'
import { gemini } from '../../src/protocols/gemini/index.ts'
import { methodTarget } from '../../src/protocols/gemini/target.ts'
import { isObject, type JsonObject } from '../../src/protocols/wire/json.ts'
import { requestTo } from '../../src/upstream/request.ts'
import type { Sending } from '../../src/upstream/sending.ts'
import { NATIVE_BODY_LIMIT_BYTES } from './model.ts'

/** `POST /v1beta/models/{model}:countTokens`: https://ai.google.dev/api/tokens#method:-models.counttokens */
export const countTokens = (parts: CallParts, origin: CallOrigin, model_id: string): Promise<Response> =>
  withAdmission(parts, origin, async (admitted) => {
    const model = findModel(parts, admitted, model_id, 'text')
    const body = await readTextBody(parts, admitted, {
      protocol: gemini,
      limit_bytes: NATIVE_BODY_LIMIT_BYTES,
      model_id,
      isFree: () => true,
    })
    await body.rejectRemembered(gemini.name)
    const { generateContentRequest: whole } = body.fields
    const { input_tokens } = estimatedFor(
      model,
      await body.facts(gemini.name, isObject(whole) ? whole : undefined),
    )
    // A `generateContentRequest` is not sent upstream, because the gateway does not check it for references to data stored at the provider.
    const counted =
      whole === undefined
        ? await countUpstream(parts, admitted, model, { protocol: gemini, write: requestFor(body) })
        : undefined
    return jsonAnswer(counted ?? { totalTokens: input_tokens }, origin.request_id, idHeaders(origin))
  })

const requestFor =
  (body: TextBody): Sending<unknown>['write'] =>
  async (attempt) => {
    const { model, provider } = attempt
    const named = body.fields.model === undefined ? {} : { model: `models/${model}` }
    const fitted = await adapt(gemini.serverOf?.(provider), model, body)
    return requestTo(
      attempt,
      methodTarget(attempt, 'countTokens'),
      await body.replace({ ...named, ...fitted }),
    )
  }

/** Adapts the contents for a server that differs from the Gemini API; empty if nothing changes. */
async function adapt(server: string | undefined, model: string, body: TextBody): Promise<JsonObject> {
  if (server === undefined || !gemini.text.fit) return {}
  const question = await body.read(['contents'])
  const { body: fitted } = gemini.text.fit(question, { server, model, is_translated: false })
  return fitted.contents === question.contents ? {} : { contents: fitted.contents ?? null }
}
