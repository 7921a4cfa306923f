// Moderations of OpenAI's API: https://platform.openai.com/docs/api-reference/moderations.
import { BLOCKING_WORD, NO_USAGE } from '../answer.ts'
import { type Query, type Refusal, refusal } from '../dialect.ts'
import { type JsonObject, objectOf, textOf } from '../json.ts'
import { countTokens } from '../tokens.ts'

const CATEGORIES = [
  'harassment',
  'harassment/threatening',
  'hate',
  'hate/threatening',
  'illicit',
  'illicit/violent',
  'self-harm',
  'self-harm/instructions',
  'self-harm/intent',
  'sexual',
  'sexual/minors',
  'violence',
  'violence/graphic',
] as const
const FLAGGED_CATEGORY = 'violence'

/** A list of texts has a result for each; texts and images together have one. */
export function readModeration(model: string, body: JsonObject): Query | Refusal {
  const items = Array.isArray(body.input) ? body.input : [body.input]
  const texts = items.map((item) => (typeof item === 'string' ? item : textOf(objectOf(item).text)))
  if (items.length === 0 || body.input === undefined)
    return refusal('input', "Missing required parameter: 'input'.")
  const inputs = items.every((item) => typeof item === 'string') ? texts : [texts.join(' ')]
  const prompt = texts.reduce((sum, text) => sum + countTokens(text), 0)
  return {
    model,
    respond: () => ({
      body: JSON.stringify({ id: `modr-${prompt}`, model, results: inputs.map(resultOf) }),
      totals: { ...NO_USAGE, prompt },
    }),
  }
}

function resultOf(text: string): JsonObject {
  const flagged = text.includes(BLOCKING_WORD)
  const each = <T>(value: (category: string) => T) =>
    Object.fromEntries(CATEGORIES.map((category) => [category, value(category)]))
  return {
    flagged,
    categories: each((category) => flagged && category === FLAGGED_CATEGORY),
    category_scores: each((category) => (flagged && category === FLAGGED_CATEGORY ? 0.97 : 0.001)),
    category_applied_input_types: each(() => ['text']),
  }
}
