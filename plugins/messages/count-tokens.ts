// The free token count of a messages request: by the provider if it has such an endpoint, otherwise an estimate.
import { readCallTarget } from '../../src/calls/bodies/arrival.ts'
import { withAcceptedImages } from '../../src/calls/kinds/text/accepted-images.ts'
import { countUpstream, estimatedFor } from '../../src/calls/kinds/text/counting.ts'
import { readTextBody } from '../../src/calls/kinds/text/read-body.ts'
import { findModel, withAdmission } from '../../src/calls/life/admission.ts'
import type { CallOrigin } from '../../src/calls/life/call.ts'
import type { CallParts } from '../../src/calls/parts.ts'
import type { Provider } from '../../src/domain/catalogue.ts'
import { VERTEX_AI } from '../../src/domain/servers/vertex.ts'
import { idHeaders, jsonAnswer } from '../../src/http/answers.ts'
import { anthropic } from '../../src/protocols/anthropic/index.ts'
import { VERTEX_VERSION } from '../../src/protocols/anthropic/request.ts'
import type { JsonObject } from '../../src/protocols/wire/json.ts'
import { requestTo } from '../../src/upstream/request.ts'
import { forwardedHeaders, MESSAGES_BODY_LIMIT_BYTES, requireVersion } from './model.ts'

export const countTokens = (parts: CallParts, origin: CallOrigin): Promise<Response> =>
  withAdmission(parts, origin, async (admitted) => {
    const read = await readTextBody(parts, admitted, {
      protocol: anthropic,
      limit_bytes: MESSAGES_BODY_LIMIT_BYTES,
      isFree: () => true,
    })
    requireVersion(origin.request.headers)
    await read.rejectRemembered(anthropic.name)
    const model = findModel(parts, admitted, readCallTarget(read.fields).model_id, 'text')
    const body = read.has_images
      ? await withAcceptedImages(parts, admitted, { model, body: read, protocol: anthropic.name })
      : read
    admitted.defer(body.release)
    // Decoding a request requires max_tokens, which a count request does not have.
    const { input_tokens } = estimatedFor(model, await body.facts(anthropic.name, { max_tokens: 1 }))
    const counted = await countUpstream(parts, admitted, model, {
      protocol: anthropic,
      async write(attempt) {
        const { path, headers } = anthropic.text.target({ ...attempt, streams: false })
        return requestTo(
          attempt,
          { path: `${path}/count_tokens`, headers },
          await body.replace({ model: attempt.model, ...versionFor(attempt.provider) }),
          forwardedHeaders(origin.request.headers),
        )
      },
    })
    return jsonAnswer(counted ?? { input_tokens }, origin.request_id, idHeaders(origin))
  })

/** Vertex AI requires the version in the body; its count endpoint also takes the model there: npm @anthropic-ai/vertex-sdk. */
const versionFor = ({ server }: Pick<Provider, 'server'>): JsonObject =>
  server === VERTEX_AI ? { anthropic_version: VERTEX_VERSION } : {}
