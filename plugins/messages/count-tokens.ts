// Owns counting the tokens of a messages request: by the vendor where he counts, by estimate where not; free of charge.

import type { TextModel } from '../../src/domain/catalogue.ts'
import { readCallTarget } from '../../src/exchange/call-target.ts'
import { readJsonBody } from '../../src/exchange/json-body.ts'
import type { Admitted, CallOrigin } from '../../src/exchange/paid-call.ts'
import type { Exchange } from '../../src/exchange/text/exchange.ts'
import { idHeaders, jsonAnswer } from '../../src/http/answers.ts'
import { anthropic } from '../../src/protocols/anthropic/index.ts'
import { parseAnswer } from '../../src/protocols/wire/json.ts'
import type { JsonBody } from '../../src/protocols/wire/json-body.ts'
import { spliceFields } from '../../src/protocols/wire/json-splice.ts'
import type { Gateway } from '../../src/surface/gateway.ts'
import { requestTo } from '../../src/upstream/request.ts'
import { withRoutes } from '../../src/upstream/routes.ts'
import { forwardedHeaders, MESSAGES_BODY_LIMIT_BYTES, requireVersion } from './model.ts'

/** `POST /v1/messages/count_tokens` over the exchange's steps. */
export function createTokenCounter({
  exchange,
  catalogue,
}: Gateway): (origin: CallOrigin) => Promise<Response> {
  return async (origin) => {
    const admitted = exchange.admit(origin)
    try {
      const body = await readJsonBody(origin.request, MESSAGES_BODY_LIMIT_BYTES)
      requireVersion(origin.request.headers)
      const model = exchange.findModel(admitted, readCallTarget(body.json).model_id, 'text')
      // The vendor's counting takes no max_tokens; reading a request wants one.
      const { input_tokens } = anthropic.text.readRequest({ ...body.json, max_tokens: 1 })
      const { providers } = catalogue()
      const counting = withRoutes(
        model,
        ({ provider }) => providers.get(provider)?.protocol === anthropic.name,
      )
      const counted = counting ? await ask(exchange, admitted, counting, body) : { input_tokens }
      return jsonAnswer(counted, origin.request_id, idHeaders(origin))
    } finally {
      exchange.leave(admitted, 0)
    }
  }
}

const NAMED_ONCE: ReadonlySet<string> = new Set(['model'])

async function ask(
  exchange: Exchange,
  admitted: Admitted,
  model: TextModel,
  { bytes, json }: JsonBody,
): Promise<unknown> {
  const { answer } = await exchange.ask(admitted, model, {
    streams: false,
    write({ provider, model: upstream_model, api_key }) {
      const { path, headers } = anthropic.text.target({ model: upstream_model, api_key, streams: false })
      return requestTo(
        provider,
        { path: `${path}/count_tokens`, headers },
        spliceFields(bytes, json, { ...json, model: upstream_model }, NAMED_ONCE),
        forwardedHeaders(admitted.origin.request.headers),
      )
    },
    open: async (response) => parseAnswer(await response.text()),
  })
  return answer
}
