// OpenAI's embeddings: the caller's request, the provider's request, and the encoding of vectors.
// https://platform.openai.com/docs/api-reference/embeddings
import { UpstreamFault } from '../../domain/errors.ts'
import { estimateTokens } from '../../domain/token-estimate.ts'
import { promptTokens, type ReportedUsage, type Usage } from '../../domain/usage.ts'
import type { EmbeddingProtocol, EmbeddingRequest } from '../embeddings.ts'
import { unknownField } from '../extras.ts'
import { Anything, Choice, Count, Fields, namesOf, optional, readPresent, Text } from '../forms.ts'
import {
  isObject,
  type Json,
  type JsonObject,
  objectIn,
  objectsIn,
  parseObject,
  refusal,
  wantArray,
  wantCount,
  wantString,
} from '../wire/json.ts'
import { extras } from './extras.ts'
import { readCounts } from './usage.ts'

/** "any array must be 2048 dimensions or less" */
const MAX_INPUTS = 2_048
const FORMATS = { float: 'float', base64: 'base64' } as const

const EmbeddingsRequest = Fields({
  /** A text or a list of texts, or the tokens of one or several texts. */
  input: Anything,
  dimensions: optional(Count),
  encoding_format: optional(Choice(FORMATS)),
  user: optional(Text),
})

/** Reads the body of an embeddings call. @throws GatewayError invalid_request that names the field */
export function readEmbeddingRequest(body: JsonObject): EmbeddingRequest {
  const { input, dimensions, encoding_format = 'float' } = readPresent(EmbeddingsRequest, body, '')
  if (dimensions === 0) throw refusal('dimensions', 'must be at least 1.')
  return { body, ...readInput(input), dimensions, encoding_format }
}

/** @throws GatewayError invalid_request for an unknown field */
export function rejectUnknown(body: JsonObject): void {
  for (const name of Object.keys(body)) if (!KNOWN.has(name)) throw unknownField(name)
}

const KNOWN: ReadonlySet<string> = new Set(['model', ...namesOf(EmbeddingsRequest)])

type Input = Pick<EmbeddingRequest, 'texts' | 'count' | 'input_tokens'>

function readInput(input: Json | undefined): Input {
  if (typeof input === 'string') return textInput([readText(input, 'input')])
  if (!Array.isArray(input)) throw refusal('input', INPUT_MUST)
  const [first] = input
  if (first === undefined) throw refusal('input', 'must not be empty.')
  if (typeof first === 'number')
    return { texts: undefined, count: 1, input_tokens: readTokens(input, 'input') }
  if (input.length > MAX_INPUTS) throw refusal('input', `must be a list of at most ${MAX_INPUTS} inputs.`)
  if (typeof first === 'string') return textInput(input.map((item, at) => readText(item, `input[${at}]`)))
  if (!Array.isArray(first)) throw refusal('input[0]', INPUT_MUST)
  const input_tokens = input.reduce<number>((sum, item, at) => sum + readTokens(item, `input[${at}]`), 0)
  return { texts: undefined, count: input.length, input_tokens }
}

const INPUT_MUST = 'must be a text, a list of texts, a list of tokens, or a list of lists of tokens.'

function textInput(texts: string[]): Input {
  const input_tokens = texts.reduce((sum, text) => sum + estimateTokens(text), 0)
  return { texts, count: texts.length, input_tokens }
}

function readText(value: Json, path: string): string {
  const text = wantString(value, path)
  if (text === '') throw refusal(path, 'must not be empty.')
  return text
}

function readTokens(value: Json, path: string): number {
  const tokens = wantArray(value, path)
  if (tokens.length === 0) throw refusal(path, 'must not be empty.')
  tokens.forEach((token, at) => {
    wantCount(token, `${path}[${at}]`)
  })
  return tokens.length
}

/** A provider of this protocol gets the caller's body with its own model name, and its answer passes through unchanged. */
export const openaiEmbeddings: EmbeddingProtocol = {
  target: () => ({ path: '/embeddings', headers: {} }),
  encode({ body, has_mixed_dimensions }, model) {
    if (has_mixed_dimensions)
      throw refusal('outputDimensionality', 'must be the same in all requests for this model.')
    rejectExtras(body)
    return body.model === model ? body : { ...body, model }
  },
  decode(json, { count }) {
    const answer = objectIn(json)
    const found = objectsIn(answer.data).length
    if (found !== count) throw new UpstreamFault(`the upstream sent ${found} vectors for ${count} inputs`)
    return { usage: readEmbeddingUsage(answer), vectors: undefined }
  },
}

/** Vectors of an answer as plain numbers. @throws UpstreamFault without them */
export function readVectors(answer: Json): number[][] {
  return objectsIn(objectIn(answer).data).map(({ embedding }) => {
    const values = Array.isArray(embedding) ? embedding.filter((value) => typeof value === 'number') : []
    if (values.length === 0)
      throw new UpstreamFault('the upstream sent something that is no vector of numbers')
    return values
  })
}

/** Embeddings are priced only by tokens. @throws GatewayError invalid_request that names a field which is billed beyond them */
function rejectExtras(body: JsonObject): void {
  const [extra] = extras.find(body, {})
  if (extra)
    throw refusal(extra.at, 'is billed beyond tokens, which embeddings do not support. Leave it out.')
}

/** Undefined if the answer reports no input tokens. Some servers report only `total_tokens`. */
function readEmbeddingUsage({ usage }: JsonObject): ReportedUsage | undefined {
  const { total_tokens = null, prompt_tokens_details: _, completion_tokens: __, ...counts } = objectIn(usage)
  return readCounts({ ...counts, prompt_tokens: counts.prompt_tokens ?? counts.input_tokens ?? total_tokens })
}

function writeEmbeddingUsage(usage: Usage): JsonObject {
  const tokens = promptTokens(usage)
  return { prompt_tokens: tokens, total_tokens: tokens }
}

/** Replaces the usage in a provider's answer that has one. */
export function showEmbeddingUsage(answer: Uint8Array<ArrayBuffer>, usage: Usage): Uint8Array<ArrayBuffer> {
  const json = parseObject(Buffer.from(answer).toString())
  return isObject(json?.usage)
    ? Buffer.from(JSON.stringify({ ...json, usage: writeEmbeddingUsage(usage) }))
    : answer
}

/** Writes an answer in this protocol from another protocol's vectors. @param billed the usage in the answer */
export function writeEmbeddings(
  vectors: readonly (readonly number[])[],
  { encoding_format }: Pick<EmbeddingRequest, 'encoding_format'>,
  model: string,
  billed: Usage,
): string {
  return JSON.stringify({
    object: 'list',
    data: vectors.map((vector, index) => ({
      object: 'embedding',
      index,
      embedding: encoding_format === 'base64' ? toBase64(vector) : vector,
    })),
    model,
    usage: writeEmbeddingUsage(billed),
  })
}

/** Encodes 32-bit floats as SDKs read them: little-endian, as on all machines that Bun supports. */
const toBase64 = (vector: readonly number[]): string =>
  Buffer.from(Float32Array.from(vector).buffer).toString('base64')
