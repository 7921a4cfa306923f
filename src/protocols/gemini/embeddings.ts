// Embeddings in the native protocol, for callers and at providers.
// https://ai.google.dev/api/embeddings
import { UpstreamFault } from '../../domain/errors.ts'
import { estimateTokens } from '../../domain/token-estimate.ts'
import { promptTokens, type ReportedUsage, type Usage } from '../../domain/usage.ts'
import type { EmbeddingProtocol, EmbeddingRequest } from '../embeddings.ts'
import { unknownField } from '../extras.ts'
import {
  compact,
  isObject,
  type Json,
  type JsonObject,
  objectIn,
  objectsIn,
  refusal,
  tokenCountIn,
  wantArray,
  wantString,
} from '../wire/json.ts'
import { namesFrom } from '../wire/json-names.ts'
import { methodTarget } from './target.ts'

const HARMLESS = ['taskType', 'task_type', 'title', 'outputDimensionality', 'output_dimensionality']

/** The fields that decide the price and the vectors. The request is written again, so the caller's bytes do not pass on. */
export const embedNames = namesFrom(
  { model: 'value', content: 'value', requests: 'value' },
  { harmless: HARMLESS },
)

const KNOWN = new Set(['model', 'content', ...HARMLESS])

interface ReadRequest {
  text: string
  dimensions: number | undefined
  /** The request without its model, for a provider of this protocol. */
  sent: JsonObject
}

/** The batch method takes several requests; the other takes one. */
const isBatch = (method: string): boolean => method === 'batchEmbedContents'

/**
 * Reads the body of either method.
 *
 * @param model_id the model named in the address
 * @throws GatewayError invalid_request that names the field
 */
export function readNativeEmbedding(body: JsonObject, method: string, model_id: string): EmbeddingRequest {
  const requests = isBatch(method)
    ? wantArray(body.requests ?? null, 'requests').map((one, at) =>
        readOne(one, `requests[${at}].`, model_id),
      )
    : [readOne(body, '', model_id)]
  if (requests.length === 0) throw refusal('requests', 'must not be empty.')
  const [first] = requests
  const dimensions = first?.dimensions
  const texts = requests.map(({ text }) => text)
  return {
    // The body for a provider of OpenAI's protocol.
    body: compact({ input: texts, dimensions, encoding_format: 'float' }),
    native: requests.map(({ sent }) => sent),
    has_mixed_dimensions: requests.some((one) => one.dimensions !== dimensions),
    texts,
    count: texts.length,
    input_tokens: texts.reduce((sum, text) => sum + estimateTokens(text), 0),
    // No normalisation: the native protocol returns vectors as the provider sends them, shortened ones not at unit length.
    dimensions: undefined,
    encoding_format: 'float',
  }
}

function readOne(value: Json, path: string, model_id: string): ReadRequest {
  if (!isObject(value)) throw refusal(path.slice(0, -1), 'must be an object.')
  const { model, content, ...rest } = value
  if (model !== undefined && model !== `models/${model_id}` && model !== model_id)
    throw refusal(`${path}model`, `must be models/${model_id}, as the address says.`)
  const texts = textsOf(content, `${path}content`)
  const dimensions = rest.outputDimensionality ?? rest.output_dimensionality
  if (dimensions !== undefined && (!Number.isSafeInteger(dimensions) || Number(dimensions) < 1))
    throw refusal(`${path}outputDimensionality`, 'must be a whole number of at least 1.')
  return {
    text: texts.join('\n'),
    dimensions: dimensions === undefined ? undefined : Number(dimensions),
    sent: { ...rest, content: { parts: texts.map((text) => ({ text })) } },
  }
}

function textsOf(content: Json | undefined, path: string): string[] {
  if (!isObject(content)) throw refusal(path, 'must be an object with parts.')
  const parts = wantArray(content.parts ?? null, `${path}.parts`)
  const texts = parts.map((part, at) => {
    if (!isObject(part)) throw refusal(`${path}.parts[${at}]`, 'must be an object.')
    const other = Object.keys(part).find((name) => name !== 'text')
    if (other !== undefined)
      throw refusal(`${path}.parts[${at}].${other}`, 'cannot be embedded here. Send text only.')
    return wantString(part.text ?? null, `${path}.parts[${at}].text`)
  })
  if (texts.every((text) => text === '')) throw refusal(path, 'must have text.')
  return texts
}

/** @throws GatewayError invalid_request for an unknown field */
export function rejectUnknownNative(body: JsonObject, method: string): void {
  const requests = isBatch(method) && Array.isArray(body.requests) ? body.requests : [body]
  for (const one of requests)
    if (isObject(one)) for (const name of Object.keys(one)) if (!KNOWN.has(name)) throw unknownField(name)
}

/** Writes the answer of either method. @param billed the usage in the answer */
export function writeNativeEmbeddings(
  vectors: readonly (readonly number[])[],
  method: string,
  billed: Usage,
): string {
  const embeddings = vectors.map((values) => ({ values }))
  const usageMetadata = { promptTokenCount: promptTokens(billed) }
  return JSON.stringify(
    isBatch(method) ? { embeddings, usageMetadata } : { embedding: embeddings[0], usageMetadata },
  )
}

/** Embeddings at Gemini providers, for callers of any protocol. */
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
 * Reads the vectors. Gemini truncates them to fewer dimensions, which leaves them shorter than the unit length that OpenAI's
 * always have, so they are scaled to it (https://ai.google.dev/gemini-api/docs/embeddings, "Ensuring quality for smaller dimensions").
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

/** Newer models report their usage; older ones do not. */
function readEmbeddingUsage(answer: JsonObject): ReportedUsage | undefined {
  const { promptTokenCount, totalTokenCount } = objectIn(answer.usageMetadata)
  const input_tokens = tokenCountIn(promptTokenCount ?? totalTokenCount)
  return input_tokens === undefined ? undefined : { input_tokens }
}
