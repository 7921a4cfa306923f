// The counting of a messages request's tokens: by the provider where it counts, by estimate where not; free of charge.
import type { TextModel } from '../../src/domain/catalogue.ts'
import { type Admitted, type CallOrigin, findModel, within } from '../../src/exchange/admission.ts'
import { ask } from '../../src/exchange/asking.ts'
import { readCallTarget } from '../../src/exchange/call-target.ts'
import type { ExchangeParts } from '../../src/exchange/parts.ts'
import type { TextBody } from '../../src/exchange/text/body.ts'
import { readTextBody } from '../../src/exchange/text/read-body.ts'
import { idHeaders, jsonAnswer } from '../../src/http/answers.ts'
import { anthropic } from '../../src/protocols/anthropic/index.ts'
import { parseAnswer } from '../../src/protocols/wire/json.ts'
import { requestTo } from '../../src/upstream/request.ts'
import { withRoutes } from '../../src/upstream/routes.ts'
import { readAnswer } from '../../src/upstream/transport.ts'
import { forwardedHeaders, MESSAGES_BODY_LIMIT_BYTES, requireVersion } from './model.ts'

/** `POST /v1/messages/count_tokens`. */
export const countTokens = (parts: ExchangeParts, origin: CallOrigin): Promise<Response> =>
  within(parts, origin, async (admitted) => {
    const body = await readTextBody(parts, admitted, {
      protocol: anthropic,
      limit_bytes: MESSAGES_BODY_LIMIT_BYTES,
      isFree: () => true,
    })
    requireVersion(origin.request.headers)
    await body.rejectRemembered(anthropic.name)
    const model = findModel(parts, admitted, readCallTarget(body.fields).model_id, 'text')
    // The provider's counting takes no max_tokens; reading a request wants one.
    const { input_tokens } = await body.facts(anthropic.name, { max_tokens: 1 })
    const { providers } = parts.catalogue()
    const counting = withRoutes(model, ({ provider }) => providers.get(provider)?.protocol === anthropic.name)
    const counted = counting ? await countUpstream(parts, admitted, counting, body) : { input_tokens }
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
      const { path, headers } = anthropic.text.target({ model: upstream_model, api_key, streams: false })
      return requestTo(
        provider,
        { path: `${path}/count_tokens`, headers },
        await body.replace({ model: upstream_model }),
        forwardedHeaders(admitted.origin.request.headers),
      )
    },
    async open(response) {
      const bytes = await readAnswer(response, parts.catalogue().server.max_answer_bytes)
      return parseAnswer(bytes.toString())
    },
  })
  return answer
}
