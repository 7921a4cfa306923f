// Owns one paid embeddings call: admit, quote, hold, dispatch, settle; the steps are those of every paid call.

import type { Catalogue, EmbeddingModel, Provider } from '../../domain/catalogue.ts'
import { internal } from '../../domain/errors.ts'
import { billedUsage, NO_USAGE } from '../../domain/usage.ts'
import { type Quote, quote } from '../../pricing/quote.ts'
import type { Embedded, EmbeddingProtocol, EmbeddingRequest } from '../../protocols/embeddings.ts'
import { geminiEmbeddings } from '../../protocols/gemini/embeddings.ts'
import { openaiEmbeddings, readEmbeddingRequest, writeEmbeddings } from '../../protocols/openai/embeddings.ts'
import type { Json, JsonObject } from '../../protocols/wire/json.ts'
import type { JsonBody } from '../../protocols/wire/json-body.ts'
import { spliceFields } from '../../protocols/wire/json-splice.ts'
import type { Gateway } from '../../surface/gateway.ts'
import { requestTo } from '../../upstream/request.ts'
import { withRoutes } from '../../upstream/routes.ts'
import { readCallTarget } from '../call-target.ts'
import { readJsonBody } from '../json-body.ts'
import type { CallOrigin, Held, PaidCalls, Sending } from '../paid-call.ts'

/** 2,048 inputs, or the 300,000 tokens that OpenAI takes in one request, in any script and with room to spare. */
const BODY_LIMIT_BYTES = 10 * 1024 * 1024

/** The messages protocol has no embeddings; the catalogue refuses such a route. */
const PROTOCOLS: Partial<Record<Provider['protocol'], EmbeddingProtocol>> = {
  gemini: geminiEmbeddings,
  openai: openaiEmbeddings,
}

type Deps = Pick<Gateway, 'exchange' | 'catalogue'>

interface Answer extends Embedded {
  bytes: ArrayBuffer
}

/**
 * Embeds what a request asks for, and charges for what was read.
 *
 * @returns the provider's own bytes where it speaks as the caller does, else its vectors in the caller's protocol
 * @throws GatewayError for every refusal and failure; nothing is held then
 */
export async function embed({ exchange: steps, catalogue }: Deps, origin: CallOrigin): Promise<Response> {
  const admitted = steps.admit(origin)
  try {
    const body = await readJsonBody(origin.request, BODY_LIMIT_BYTES)
    const named = steps.findModel(admitted, readCallTarget(body.json).model_id, 'embedding')
    const request = readEmbeddingRequest(body.json)
    const model = carriedBy(named, request, catalogue().providers)
    return await steps.once(admitted, { content: [body.bytes], streams: false }, async () => {
      const held = await steps.hold(admitted, model, quoteEmbedding(model, request), false)
      try {
        return await answer(steps, held, body, request)
      } catch (thrown) {
        throw await steps.abandon(held, thrown)
      }
    })
  } catch (thrown) {
    steps.leave(admitted, 0)
    throw thrown
  }
}

/** Asks the provider, settles at what was read, and only then answers. */
async function answer(
  steps: PaidCalls,
  held: Held<EmbeddingModel>,
  asked: JsonBody,
  request: EmbeddingRequest,
): Promise<Response> {
  const { answer: embedded } = await steps.send(held, sendingOf(asked, request))
  const billed = billedUsage(embedded.usage, () => ({ ...NO_USAGE, input_tokens: request.input_tokens }))
  await steps.settle(held, held.place.gone.aborted ? 'cancelled' : 'completed', billed)
  const written = embedded.vectors
    ? writeEmbeddings(embedded.vectors, request, held.model.id, billed.usage)
    : embedded.bytes
  return new Response(written, {
    headers: { 'content-type': 'application/json', 'x-request-id': held.origin.request_id },
  })
}

/**
 * The model with those of its routes that can be told what is asked; none other is a route for this call.
 *
 * @throws GatewayError invalid_request naming what the first route cannot be told, where none can
 */
function carriedBy(
  model: EmbeddingModel,
  request: EmbeddingRequest,
  providers: Catalogue['providers'],
): EmbeddingModel {
  const refusals: unknown[] = []
  const carrying = withRoutes(model, (route) => {
    try {
      protocolOf(providers.get(route.provider)).encode(request, route.model)
      return true
    } catch (thrown) {
      refusals.push(thrown)
      return false
    }
  })
  if (!carrying) throw refusals[0]
  return carrying
}

/** Nothing is written, so that the input is all that can be billed, and less than all of it is of no use. */
const quoteEmbedding = ({ price }: EmbeddingModel, { input_tokens }: EmbeddingRequest): Quote =>
  quote(price, { input_tokens, input_fields: ['input_tokens'], candidates: 1, max_output_tokens: 0 })

/** How the call is put to a route: in the provider's own protocol. */
function sendingOf(asked: JsonBody, request: EmbeddingRequest): Sending<Answer> {
  return {
    streams: false,
    write({ provider, model, api_key }) {
      const protocol = protocolOf(provider)
      const body = bodyFor(provider, asked, protocol.encode(request, model))
      return requestTo(provider, protocol.target({ model, api_key }), body)
    },
    async open(response, { provider }) {
      const bytes = await response.arrayBuffer()
      const json: Json = JSON.parse(Buffer.from(bytes).toString())
      return { bytes, ...protocolOf(provider).decode(json, request) }
    },
  }
}

/** To a provider that speaks as the caller does go the caller's own bytes, but for the name of the model. */
const bodyFor = ({ protocol }: Provider, asked: JsonBody, encoded: JsonObject): Uint8Array | string =>
  protocol === 'openai' ? spliceFields(asked.bytes, asked.json, encoded, DECISIVE) : JSON.stringify(encoded)

/** What the price hangs on: a vendor must not read another value than the gateway did. */
const DECISIVE: ReadonlySet<string> = new Set(['model', 'input'])

function protocolOf(provider: Provider | undefined): EmbeddingProtocol {
  const found = provider && PROTOCOLS[provider.protocol]
  if (found) return found
  throw internal(
    'This model cannot be called. It has been logged; please tell the operator of this gateway.',
    {
      cause: `the provider ${provider?.name} has no embeddings`,
    },
  )
}
