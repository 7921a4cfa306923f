// Embeddings in the native protocol: a batch of texts, and vectors that are not always of unit length.
// https://ai.google.dev/api/embeddings#method:-models.batchembedcontents
import { UpstreamFault } from '../../domain/errors.ts'
import type { ReportedUsage } from '../../domain/usage.ts'
import type { EmbeddingProtocol, EmbeddingRequest } from '../embeddings.ts'
import {
  compact,
  type Json,
  type JsonObject,
  objectIn,
  objectsIn,
  refusal,
  tokenCountIn,
} from '../wire/json.ts'
import { methodTarget } from './target.ts'

/** The request to a Gemini provider for a caller of any protocol, and how its vectors go back. */
export const geminiEmbeddings: EmbeddingProtocol = {
  target: (call) => methodTarget(call, 'batchEmbedContents'),
  encode({ texts, dimensions, native }, model) {
    if (native) return { requests: native.map((request) => ({ ...request, model: `models/${model}` })) }
    if (!texts) throw refusal('input', 'must be text for this model: its provider does not take tokens.')
    const about = compact({ model: `models/${model}`, outputDimensionality: dimensions })
    return { requests: texts.map((text) => ({ ...about, content: { parts: [{ text }] } })) }
  },
  decode(json, request) {
    const answer = objectIn(json)
    return { usage: readEmbeddingUsage(answer), vectors: readVectors(answer, request) }
  },
}

/**
 * Vectors of fewer dimensions than the model's own are cut off, and no longer of unit length, which OpenAI's always are
 * (https://ai.google.dev/gemini-api/docs/embeddings, "Ensuring quality for smaller dimensions").
 */
function readVectors(answer: JsonObject, { count, dimensions }: EmbeddingRequest): number[][] {
  const vectors = objectsIn(answer.embeddings).map(({ values }) => numbersIn(values))
  if (vectors.length !== count || vectors.some((vector) => vector.length === 0)) {
    throw new UpstreamFault(`the upstream sent ${vectors.length} vectors for ${count} inputs, or empty ones`)
  }
  return dimensions === undefined ? vectors : vectors.map(toUnitLength)
}

const numbersIn = (value: Json | undefined): number[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'number') : []

function toUnitLength(vector: number[]): number[] {
  const length = Math.hypot(...vector)
  return length === 0 ? vector : vector.map((value) => value / length)
}

/** Newer models report what they read; older ones do not. */
function readEmbeddingUsage(answer: JsonObject): ReportedUsage | undefined {
  const { promptTokenCount, totalTokenCount } = objectIn(answer.usageMetadata)
  const input_tokens = tokenCountIn(promptTokenCount ?? totalTokenCount)
  return input_tokens === undefined ? undefined : { input_tokens }
}
