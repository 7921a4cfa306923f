// Paid embeddings calls as a PaidKind: read, quote, serve.
import type { EmbeddingModel, Provider } from '../../../domain/catalogue.ts'
import { UpstreamFault } from '../../../domain/errors.ts'
import { billUsage } from '../../../money/pricing/billed-usage.ts'
import { chargeTokens } from '../../../money/pricing/charge.ts'
import { type Quote, quote } from '../../../money/pricing/quote.ts'
import { boundDropped } from '../../../protocols/dropped-bound.ts'
import type { Embedded, EmbeddingRequest } from '../../../protocols/embeddings.ts'
import { reportsError } from '../../../protocols/failures.ts'
import { boundTexts, inputBound } from '../../../protocols/input-bound.ts'
import { readVectors } from '../../../protocols/openai/embeddings.ts'
import { protocolOf } from '../../../protocols/registry.ts'
import { type JsonObject, objectIn, parseJson } from '../../../protocols/wire/json.ts'
import type { JsonBody } from '../../../protocols/wire/json-body.ts'
import { spliceFields } from '../../../protocols/wire/json-splice.ts'
import { reportedFailure } from '../../../upstream/failures.ts'
import { requestTo } from '../../../upstream/request.ts'
import type { Sending } from '../../../upstream/sending.ts'
import { readAnswer } from '../../../upstream/transport.ts'
import { findModel, type PaidCall } from '../../life/admission.ts'
import type { Admitted, Held, PaidOrder } from '../../life/call.ts'
import type { PaidKind } from '../../life/paid-kind.ts'
import type { CallParts } from '../../parts.ts'
import { dispatchCall, withSupportingRoutes } from '../../serving/dispatch-call.ts'
import { servedHeaders } from '../../serving/model-name.ts'
import { spentInput, wholeOutcome } from '../../settling/end.ts'
import { reportDoubt, reportedIfDifferent } from '../../settling/reported-usage.ts'
import { settle } from '../../settling/settlement.ts'
import { readJsonRequest, verbsOf } from '../units/json-request.ts'
import type { EmbeddingDialect } from './dialect.ts'

/** 2,048 inputs, or the 300,000 tokens that OpenAI accepts in one request, in any script, with a margin. */
const BODY_LIMIT_BYTES = 10 * 1024 * 1024

interface EmbeddingCall extends PaidCall {
  dialect: EmbeddingDialect
}

interface EmbeddingOrder extends PaidOrder<EmbeddingModel> {
  dialect: EmbeddingDialect
  body: JsonBody
  request: EmbeddingRequest
}

interface Answer extends Embedded {
  bytes: Uint8Array<ArrayBuffer>
}

export const embeddingCalls: PaidKind<EmbeddingCall, EmbeddingOrder> = {
  read: readEmbeddingCall,
  quote: quoteEmbedding,
  spent: ({ model, request }) => spentInput(model.price, request.input_tokens),
  serve: serveEmbedding,
}

async function readEmbeddingCall(
  parts: CallParts,
  admitted: Admitted,
  { dialect }: EmbeddingCall,
): Promise<EmbeddingOrder> {
  const { names, model_id } = dialect
  const limits = { limit_bytes: BODY_LIMIT_BYTES, model_id }
  const body = await readJsonRequest(parts, admitted, { kind: 'embedding', names, ...limits })
  const named = findModel(parts, admitted, dialect.modelOf(body.json), 'embedding')
  const request = dialect.read(body.json)
  if (named.unknown_fields === 'refuse') dialect.rejectUnknown(body.json)
  const model = await withSupportingRoutes(parts, named, (provider, route) => {
    verbsOf(parts, { provider }, 'embeddings').encode(request, route.model)
  })
  return { model, streams: false, content: [body.bytes], dialect, body, request }
}

/** Only input is billed, since nothing is generated. Embedding less than all of the input is of no use. */
function quoteEmbedding({ model, request, body }: EmbeddingOrder): Quote {
  return quote(model.price, {
    input_bound_tokens: inputBound(
      boundTexts(body.json, request.count) + boundDropped(body),
      request.input_tokens,
    ),
    input_fields: ['input_tokens'],
    candidates: 1,
    max_output_tokens: 0,
  })
}

/** Answers with the provider's bytes if it speaks the caller's protocol, otherwise encodes its vectors for the caller. */
async function serveEmbedding(parts: CallParts, held: Held<EmbeddingOrder>): Promise<Response> {
  const { model, request, body, dialect } = held.order
  const { answer, attempt } = await dispatchCall(parts, held, sendingOf(parts, held.order))
  const estimate = { input_tokens: request.input_tokens, outputTokens: () => 0 }
  // No token is shorter than a byte, and there is no output.
  const bounds = { input_tokens: body.bytes.length, output_tokens: 0 }
  const billed = billUsage(model.price, answer.usage, bounds, estimate)
  const { usage, estimated, doubt } = billed
  reportDoubt(parts, held, attempt, doubt, usage)
  const written = dialect.write({
    answer,
    request,
    model_id: model.id,
    upstream_model: attempt.model,
    usage,
    estimated,
  })
  await settle(parts, held, {
    outcome: wholeOutcome(held),
    charge: chargeTokens(model.price, usage),
    usage,
    estimated,
    reported_usage: reportedIfDifferent(answer.usage, billed),
    doubt: doubt?.why,
    reported_cost_nanos: answer.usage?.cost_nanos,
  })
  return new Response(written, { headers: servedHeaders(held, 'application/json', attempt.model) })
}

/** Encodes the call for a route in the provider's protocol. */
function sendingOf(parts: CallParts, { body, request, dialect }: EmbeddingOrder): Sending<Answer> {
  return {
    streams: false,
    write(attempt) {
      const { provider, model } = attempt
      const protocol = verbsOf(parts, { provider }, 'embeddings')
      const encoded = bodyFor(provider, { body, dialect }, protocol.encode(request, model))
      return requestTo(attempt, protocol.target(attempt), encoded)
    },
    async open(response, { provider }) {
      const bytes = await readAnswer(response, parts.catalogue().server.max_answer_bytes)
      const json = parseJson(bytes.toString())
      if (json === undefined) throw new UpstreamFault('the upstream sent something that is no JSON')
      if (reportsError(objectIn(json)))
        throw reportedFailure(protocolOf(parts.protocols, provider), bytes.toString())
      const { usage, vectors } = verbsOf(parts, { provider }, 'embeddings').decode(json, request)
      const passes = provider.protocol === dialect.passes_to
      return { bytes, usage, vectors: vectors ?? (passes ? undefined : readVectors(json)) }
    },
  }
}

/** Returns the caller's bytes with the route's model name for a provider of the same protocol, otherwise the encoded request. */
const bodyFor = (
  { protocol }: Provider,
  { body, dialect }: Pick<EmbeddingOrder, 'body' | 'dialect'>,
  encoded: JsonObject,
): Uint8Array | string =>
  protocol === dialect.passes_to ? spliceFields(body, encoded) : JSON.stringify(encoded)
