// Embeddings of OpenAI's API: https://platform.openai.com/docs/api-reference/embeddings.
import { NO_USAGE } from '../answer.ts'
import { type Query, type Refusal, refusal } from '../dialect.ts'
import { embed } from '../embedding.ts'
import type { JsonObject } from '../json.ts'
import { countTokens } from '../tokens.ts'

const DEFAULT_DIMENSIONS = 1_536
const MAX_INPUTS = 2_048

/** An input as text; token ids count as words, so that they have vectors too. */
interface Input {
  readonly text: string
  readonly tokens: number
}

export function readEmbedding(model: string, body: JsonObject): Query | Refusal {
  const inputs = readInputs(body.input)
  if (!inputs)
    return refusal('input', "Invalid 'input': expected a string, an array of strings or of tokens.")
  if (inputs.length > MAX_INPUTS) return refusal('input', "Invalid 'input': array too long.")
  const { dimensions = DEFAULT_DIMENSIONS, encoding_format = 'float' } = body
  if (!isDimensions(dimensions)) return refusal('dimensions', "Invalid value for 'dimensions'.")
  if (encoding_format !== 'float' && encoding_format !== 'base64')
    return refusal('encoding_format', "Invalid 'encoding_format': must be one of 'float' or 'base64'.")
  const prompt = inputs.reduce((sum, { tokens }) => sum + tokens, 0)
  return {
    model,
    respond(usage_report) {
      const reported = usage_report === 'zero' ? 0 : prompt
      const answer = {
        object: 'list',
        data: inputs.map(({ text }, index) => ({
          object: 'embedding',
          index,
          embedding: encoded(embed(text, dimensions), encoding_format),
        })),
        model,
        usage: usage_report === 'absent' ? undefined : { prompt_tokens: reported, total_tokens: reported },
      }
      return { body: JSON.stringify(answer, null, 2), totals: { ...NO_USAGE, prompt } }
    },
  }
}

const isDimensions = (value: unknown): value is number =>
  Number.isInteger(value) && Number(value) >= 1 && Number(value) <= DEFAULT_DIMENSIONS

function readInputs(input: unknown): Input[] | undefined {
  const inputs = Array.isArray(input) && !isTokens(input) ? input : [input]
  const read = inputs.map(readInput)
  return read.length > 0 && read.every((one) => one !== undefined) ? read : undefined
}

function readInput(input: unknown): Input | undefined {
  if (typeof input === 'string') return input === '' ? undefined : { text: input, tokens: countTokens(input) }
  return isTokens(input) ? { text: input.join(' '), tokens: input.length } : undefined
}

const isTokens = (input: unknown): input is number[] =>
  Array.isArray(input) &&
  input.length > 0 &&
  input.every((token) => Number.isSafeInteger(token) && Number(token) >= 0)

/** 32-bit floats, little-endian, if the request has base64. */
function encoded(vector: number[], encoding_format: 'float' | 'base64'): number[] | string {
  return encoding_format === 'float'
    ? vector
    : Buffer.from(Float32Array.from(vector).buffer).toString('base64')
}
