// Embeddings as callers of the native API ask for them: :embedContent and :batchEmbedContents.
// https://ai.google.dev/api/embeddings
import { estimateTokens } from '../../domain/token-estimate.ts'
import { promptTokens, type Usage } from '../../domain/usage.ts'
import type { EmbeddingRequest } from '../embeddings.ts'
import { unknownField } from '../extras.ts'
import {
  compact,
  isObject,
  type Json,
  type JsonObject,
  refusal,
  wantArray,
  wantString,
} from '../wire/json.ts'
import { namesFrom } from '../wire/json-names.ts'

const HARMLESS = ['taskType', 'task_type', 'title', 'outputDimensionality', 'output_dimensionality']

/** The fields that decide the price and the vectors. The caller's bytes do not pass on: the request is written anew. */
export const embedNames = namesFrom(
  { model: 'value', content: 'value', requests: 'value' },
  { harmless: HARMLESS },
)

const KNOWN = new Set(['model', 'content', ...HARMLESS])

interface Read {
  text: string
  dimensions: number | undefined
  /** The request without its model, as a provider of this protocol takes it. */
  sent: JsonObject
}

/** The name under which a model's method reads one request; batches have several. */
const isBatch = (method: string): boolean => method === 'batchEmbedContents'

/**
 * Reads the body of either method.
 *
 * @param model_id the model that the address names
 * @throws GatewayError invalid_request naming the field
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
    // To a provider of OpenAI's protocol.
    body: compact({ input: texts, dimensions, encoding_format: 'float' }),
    native: requests.map(({ sent }) => sent),
    has_mixed_dimensions: requests.some((one) => one.dimensions !== dimensions),
    texts,
    count: texts.length,
    input_tokens: texts.reduce((sum, text) => sum + estimateTokens(text), 0),
    // The provider's vectors are passed on as they are: shortened ones are no longer of unit length.
    dimensions: undefined,
    encoding_format: 'float',
  }
}

function readOne(value: Json, path: string, model_id: string): Read {
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

/** @throws GatewayError invalid_request for a field that a request does not have */
export function rejectUnknownNative(body: JsonObject, method: string): void {
  const requests = isBatch(method) && Array.isArray(body.requests) ? body.requests : [body]
  for (const one of requests)
    if (isObject(one)) for (const name of Object.keys(one)) if (!KNOWN.has(name)) throw unknownField(name)
}

/**
 * The answer of either method.
 *
 * @param billed the usage in the answer
 */
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
