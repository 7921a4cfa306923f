// Rerank in the shape of Cohere and Jina: https://docs.cohere.com/reference/rerank, https://jina.ai/reranker.
import { NO_USAGE } from '../answer.ts'
import { type Query, type Refusal, refusal } from '../dialect.ts'
import { type JsonObject, numberOf, objectOf, textOf } from '../json.ts'
import { countTokens } from '../tokens.ts'

const DOCUMENTS_PER_SEARCH = 100

export function readRerank(model: string, body: JsonObject): Query | Refusal {
  const query = textOf(body.query)
  if (query === '') return refusal('query', "Missing required parameter: 'query'.")
  if (!Array.isArray(body.documents) || body.documents.length === 0)
    return refusal('documents', "Missing required parameter: 'documents'.")
  const texts = body.documents.map((item) => (typeof item === 'string' ? item : textOf(objectOf(item).text)))
  const top = numberOf(body.top_n) ?? texts.length
  const prompt = texts.reduce((sum, text) => sum + countTokens(query) + countTokens(text), 0)
  return {
    model,
    respond(usage_report) {
      const results = texts
        .map((text, index) => ({
          index,
          relevance_score: scoreOf(query, text),
          document: body.return_documents === true ? { text } : undefined,
        }))
        .sort((one, other) => other.relevance_score - one.relevance_score)
        .slice(0, top)
      const is_zero = usage_report === 'zero'
      const search_units = is_zero ? 0 : Math.ceil(texts.length / DOCUMENTS_PER_SEARCH)
      const usage = {
        meta: { api_version: { version: '2' }, billed_units: { search_units } },
        usage: { total_tokens: is_zero ? 0 : prompt },
      }
      return {
        body: JSON.stringify({
          id: `rerank-${prompt}`,
          model,
          results,
          ...(usage_report === 'absent' ? {} : usage),
        }),
        totals: { ...NO_USAGE, prompt },
      }
    },
  }
}

/** The share of the query's words that a document has. */
function scoreOf(query: string, text: string): number {
  const wordsOf = (written: string) => written.toLowerCase().match(/\p{L}+/gu) ?? []
  const words = new Set(wordsOf(query))
  const found = new Set(wordsOf(text).filter((word) => words.has(word)))
  return Math.round((found.size / Math.max(1, words.size)) * 1e6) / 1e6
}
