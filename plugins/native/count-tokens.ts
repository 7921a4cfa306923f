// The counting of a native request's tokens: by the provider where it counts, by estimate where not; free of charge.
import type { TextModel } from '../../src/domain/catalogue.ts'
import { type Admitted, type CallOrigin, findModel, within } from '../../src/exchange/admission.ts'
import { ask } from '../../src/exchange/asking.ts'
import type { ExchangeParts } from '../../src/exchange/parts.ts'
import type { TextBody } from '../../src/exchange/text/body.ts'
import { readTextBody } from '../../src/exchange/text/read-body.ts'
import { idHeaders, jsonAnswer } from '../../src/http/answers.ts'
import { gemini } from '../../src/protocols/gemini/index.ts'
import { methodTarget } from '../../src/protocols/gemini/target.ts'
import { isObject, parseAnswer } from '../../src/protocols/wire/json.ts'
import { requestTo } from '../../src/upstream/request.ts'
import { withRoutes } from '../../src/upstream/routes.ts'
import { readAnswer } from '../../src/upstream/transport.ts'
import { NATIVE_BODY_LIMIT_BYTES } from './model.ts'

/** `POST /v1beta/models/{model}:countTokens`: https://ai.google.dev/api/tokens#method:-models.counttokens */
export const countTokens = (parts: ExchangeParts, origin: CallOrigin, model_id: string): Promise<Response> =>
  within(parts, origin, async (admitted) => {
    const model = findModel(parts, admitted, model_id, 'text')
    const body = await readTextBody(parts, admitted, {
      protocol: gemini,
      limit_bytes: NATIVE_BODY_LIMIT_BYTES,
      isFree: () => true,
    })
    await body.rejectRemembered(gemini.name)
    const { generateContentRequest: whole } = body.fields
    const { input_tokens } = await body.facts(gemini.name, isObject(whole) ? whole : undefined)
    const { providers } = parts.catalogue()
    const counting = withRoutes(model, ({ provider }) => providers.get(provider)?.protocol === gemini.name)
    // What is inside a whole request is not checked for what only the provider remembers, so it stays here.
    const counted =
      counting && whole === undefined
        ? await countUpstream(parts, admitted, counting, body)
        : { totalTokens: input_tokens }
    return jsonAnswer(counted, origin.request_id, idHeaders(origin))
  })

async function countUpstream(
  parts: ExchangeParts,
  admitted: Admitted,
  model: TextModel,
  body: TextBody,
): Promise<unknown> {
  const { answer } = await ask(parts, admitted, model, {
    streams: false,
    async write({ provider, model: upstream_model, api_key }) {
      const named = body.fields.model === undefined ? {} : { model: `models/${upstream_model}` }
      return requestTo(
        provider,
        methodTarget({ model: upstream_model, api_key }, 'countTokens'),
        await body.replace(named),
      )
    },
    async open(response) {
      const bytes = await readAnswer(response, parts.catalogue().server.max_answer_bytes)
      return parseAnswer(bytes.toString())
    },
  })
  return answer
}
