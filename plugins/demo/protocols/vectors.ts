// Embeddings in OpenAI's and Gemini's format, OpenAI's moderations, and rerank in Cohere's and Jina's format.
import { type Json, type JsonObject, objectIn } from '../../../src/protocols/wire/json.ts'
import { Refused } from '../ask.ts'
import type { Endpoint } from '../endpoint.ts'
import { lines, listIn, numberIn, objectsOf, textIn } from '../json.ts'
import { countTokens } from '../text.ts'
import { GEMINI_EMBEDDINGS } from './conversations.ts'
import { OPENAI } from './openai.ts'

/** Number of dimensions that a word changes. */
const DIMENSIONS_A_WORD = 8
const MAX_DIMENSIONS = 3_072

/** Makes a vector of unit length: each word changes a few dimensions, which its hash selects. */
function embed(text: string, dimensions: number): number[] {
  if (!Number.isInteger(dimensions) || dimensions < 1 || dimensions > MAX_DIMENSIONS)
    throw new Refused(400, "Invalid value for 'dimensions'.", 'dimensions')
  const vector = new Array<number>(dimensions).fill(0)
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  for (const word of words) add(vector, word, 1)
  // So that no vector is zero, and different texts have different vectors.
  add(vector, `\n${text}`, 0.1)
  const length = Math.hypot(...vector)
  return length === 0 ? vector.map((_, at) => (at === 0 ? 1 : 0)) : vector.map((value) => value / length)
}

function add(vector: number[], feature: string, weight: number): void {
  for (let place = 0; place < DIMENSIONS_A_WORD; place++) {
    const hash = Number(Bun.hash.crc32(`${place}\n${feature}`))
    const at = (hash >>> 1) % vector.length
    vector[at] = (vector[at] ?? 0) + (hash % 2 === 0 ? weight : -weight)
  }
}

const DIMENSIONS = 1_536
const GEMINI_DIMENSIONS = 3_072
const DOCUMENTS_A_SEARCH = 100

const missing = (field: string): Refused => new Refused(400, `Missing required parameter: '${field}'.`, field)

const sumOf = (texts: readonly string[]): number => texts.reduce((sum, text) => sum + countTokens(text), 0)

/** A text, or the text of an object. */
const textOf = (item: Json): string => (typeof item === 'string' ? item : textIn(objectIn(item).text))

export const embeddings: Endpoint = {
  ...OPENAI,
  path: /\/embeddings$/,
  serve({ body, model }) {
    const texts = inputsOf(body.input)
    if (texts.length === 0) throw missing('input')
    const dimensions = numberIn(body.dimensions) ?? DIMENSIONS
    const data = texts.map((text, index) => {
      const vector = embed(text, dimensions)
      const packed = () => Buffer.from(Float32Array.from(vector).buffer).toString('base64')
      return { object: 'embedding', index, embedding: body.encoding_format === 'base64' ? packed() : vector }
    })
    const tokens = sumOf(texts)
    return { json: { object: 'list', data, model, usage: { prompt_tokens: tokens, total_tokens: tokens } } }
  },
}

export const geminiEmbeddings: Endpoint = {
  ...GEMINI_EMBEDDINGS,
  serve({ body }) {
    const requests = objectsOf(body.requests)
    if (requests.length === 0) throw new Refused(400, 'requests is not specified', 'requests')
    const texts = requests.map(({ content }) =>
      lines(objectsOf(objectIn(content).parts).map(({ text }) => textIn(text))),
    )
    const embedded = texts.map((text, at) => ({
      values: embed(text, numberIn(requests[at]?.outputDimensionality) ?? GEMINI_DIMENSIONS),
    }))
    return { json: { embeddings: embedded, usageMetadata: { promptTokenCount: sumOf(texts) } } }
  },
}

/** Reads texts, or lists of token ids, which are treated as words. */
function inputsOf(input: Json | undefined): string[] {
  if (typeof input === 'string') return [input]
  const items = listIn(input)
  if (typeof items[0] === 'number') return [items.join(' ')]
  return items.map((item) => (Array.isArray(item) ? item.join(' ') : textIn(item)))
}

const CATEGORIES =
  'harassment harassment/threatening hate hate/threatening illicit illicit/violent self-harm self-harm/instructions self-harm/intent sexual sexual/minors violence violence/graphic'.split(
    ' ',
  )
const FLAGGED = /\b(?:kill|murder|stab|shoot)/i

export const moderations: Endpoint = {
  ...OPENAI,
  path: /\/moderations$/,
  serve({ body, model }) {
    const items = Array.isArray(body.input) ? body.input : [body.input ?? '']
    const texts = items.map(textOf)
    if (body.input === undefined || items.length === 0) throw missing('input')
    // Each text has its own result; texts and images together have one.
    const judged = items.every((item) => typeof item === 'string') ? texts : [texts.join(' ')]
    return { json: { id: `modr-${sumOf(texts)}`, model, results: judged.map(judge) } }
  },
}

function judge(text: string): object {
  const flagged = FLAGGED.test(text)
  const each = <T>(value: (is_flagged: boolean) => T) =>
    Object.fromEntries(CATEGORIES.map((name) => [name, value(flagged && name === 'violence')]))
  return {
    flagged,
    categories: each((is_flagged) => is_flagged),
    category_scores: each((is_flagged) => (is_flagged ? 0.97 : 0.001)),
    category_applied_input_types: each(() => ['text']),
  }
}

export const rerank: Endpoint = {
  ...OPENAI,
  path: /\/rerank$/,
  serve({ body, model }) {
    const query = textIn(body.query)
    const documents = listIn(body.documents).map(textOf)
    if (query === '') throw missing('query')
    if (documents.length === 0) throw missing('documents')
    const total_tokens = sumOf(documents) + documents.length * countTokens(query)
    return {
      json: {
        id: `rerank-${total_tokens}`,
        model,
        results: rankedFor(query, documents, body),
        meta: { billed_units: { search_units: Math.ceil(documents.length / DOCUMENTS_A_SEARCH) } },
        usage: { total_tokens },
      },
    }
  },
}

const rankedFor = (query: string, documents: readonly string[], body: JsonObject): object[] =>
  documents
    .map((text, index) => ({
      index,
      relevance_score: scoreOf(query, text),
      document: body.return_documents === true ? { text } : undefined,
    }))
    .sort((one, other) => other.relevance_score - one.relevance_score)
    .slice(0, numberIn(body.top_n) ?? documents.length)

/** Returns the share of the query's words that a document contains. */
function scoreOf(query: string, text: string): number {
  const wordsOf = (text: string) => new Set(text.toLowerCase().match(/\p{L}+/gu) ?? [])
  const [words, found] = [wordsOf(query), wordsOf(text)]
  const shared = [...words].filter((word) => found.has(word)).length
  return Math.round((shared / Math.max(1, words.size)) * 1e6) / 1e6
}
