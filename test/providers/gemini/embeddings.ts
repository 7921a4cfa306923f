// Embeddings of the Gemini API: batches of texts.

import { NO_USAGE } from '../answer.ts'
import type { Query, Refusal } from '../dialect.ts'
import { embed } from '../embedding.ts'
import { type JsonObject, listOf, numberOf, objectOf, pick, textOf } from '../json.ts'
import { countTokens } from '../tokens.ts'

const DEFAULT_DIMENSIONS = 3_072
/** The limit of one request: https://ai.google.dev/gemini-api/docs/embeddings. */
const MAX_TEXTS = 100

/** https://ai.google.dev/api/embeddings#method:-models.batchembedcontents */
export function readEmbedding(model: string, body: JsonObject): Query | Refusal {
  const requests = listOf(body.requests).map(objectOf)
  if (requests.length === 0) return refusal('requests', 'requests is not specified')
  if (requests.length > MAX_TEXTS)
    return refusal('requests', `at most ${MAX_TEXTS} requests can be in one batch`)
  const other = requests.findIndex((request) => request.model !== `models/${model}`)
  if (other >= 0) return refusal(`requests[${other}].model`, 'model must match the model in the URL')
  const texts = requests.map(readText)
  const empty = texts.indexOf('')
  if (empty >= 0) return refusal(`requests[${empty}].content`, 'content is empty')
  const dimensions = requests.map(
    (request) =>
      numberOf(pick(request, 'outputDimensionality', 'output_dimensionality')) ?? DEFAULT_DIMENSIONS,
  )
  const fault = dimensions.findIndex(
    (count) => !Number.isInteger(count) || count < 1 || count > DEFAULT_DIMENSIONS,
  )
  if (fault >= 0) return refusal(`requests[${fault}].output_dimensionality`, 'out of range')
  return {
    model,
    respond(usage_report) {
      const prompt = texts.reduce((sum, text) => sum + countTokens(text), 0)
      const reported = usage_report === 'zero' ? 0 : prompt
      const usage = {
        promptTokenCount: reported,
        promptTokenDetails: [{ modality: 'TEXT', tokenCount: reported }],
      }
      // A shortened vector is not of unit length: the API leaves that to its callers.
      const embeddings = texts.map((text, at) => ({
        values: embed(text, DEFAULT_DIMENSIONS).slice(0, dimensions[at]),
      }))
      const answer = { embeddings, usageMetadata: usage_report === 'absent' ? undefined : usage }
      return { body: `${JSON.stringify(answer, null, 2)}\n`, totals: { ...NO_USAGE, prompt } }
    },
  }
}

function readText(request: JsonObject): string {
  return listOf(objectOf(request.content).parts)
    .map((part) => textOf(objectOf(part).text))
    .join('\n')
}

const refusal = (field: string, description: string): Refusal => ({
  status: 400,
  field,
  message: `* BatchEmbedContentsRequest.${field}: ${description}`,
})
