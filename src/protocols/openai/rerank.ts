// Rerank, which OpenAI does not have: the format of Cohere and Jina, which servers of OpenAI's protocol share.
// https://docs.cohere.com/reference/rerank, https://jina.ai/reranker
import type { FieldHandling } from '../../domain/catalogue.ts'
import { estimateTokens } from '../../domain/token-estimate.ts'
import { Anything, Count, Fields, namesOf, optional, readPresent, Text } from '../forms.ts'
import { applyBound, boundTexts, fields, inputBound } from '../input-bound.ts'
import { jsonTokens } from '../token-sums.ts'
import type { UnitProtocol } from '../unit-calls.ts'
import { type ByteString, toByteString } from '../wire/byte-string.ts'
import {
  countIn,
  isObject,
  type Json,
  type JsonObject,
  objectIn,
  refusal,
  tokenCountIn,
  wantArray,
} from '../wire/json.ts'
import { namesFrom } from '../wire/json-names.ts'
import { placeInObject } from '../wire/json-place.ts'
import { extras, rejectBeyondUnits } from './extras.ts'

const Rerank = Fields({
  model: Anything,
  query: Text,
  /** Texts, or objects with the fields of each document. */
  documents: Anything,
  top_n: optional(Count),
  return_documents: Anything,
  max_tokens_per_doc: optional(Count),
  /** A field of Cohere's older version. */
  max_chunks_per_doc: optional(Count),
  rank_fields: Anything,
  priority: Anything,
  truncation: Anything,
})

const KNOWN = namesOf(Rerank)

export const rerankNames = namesFrom(
  {
    model: 'value',
    query: 'value',
    documents: 'value',
    max_tokens_per_doc: 'count',
    max_chunks_per_doc: 'count',
  },
  { billed: extras.decisive_fields, harmless: ['top_n', 'return_documents', 'rank_fields'] },
)

/** Cohere bills by query with up to this many documents. */
const DOCUMENTS_PER_SEARCH = 100
/** A longer document, with its query, is split into chunks; each counts as a document. */
const CHUNK_TOKENS = 500
/** Cohere's default limit of tokens that it reads per document. */
const DEFAULT_TOKENS_PER_DOCUMENT = 4_096

/** The billed units of a rerank. The model reads the query with each document. */
interface RerankUnits {
  searches: number
  input_tokens: number
}

interface RerankRequest {
  /** Charged if the provider reports nothing. */
  estimate: RerankUnits
  /** The most that a provider can count: other fields, such as an instruction, may also be read with each document. */
  bound: RerankUnits
}

/**
 * @param dropped_tokens the most tokens that the provider gets but `body` lacks (see boundDropped)
 * @throws GatewayError invalid_request that names the field
 */
export function readRerankRequest(
  body: JsonObject,
  unknown_fields: FieldHandling,
  dropped_tokens = 0,
): RerankRequest {
  const { query, documents, max_tokens_per_doc = DEFAULT_TOKENS_PER_DOCUMENT } = readPresent(Rerank, body, '')
  if (query === '') throw refusal('query', 'must not be empty.')
  // Some servers read 0 as no limit.
  if (max_tokens_per_doc === 0) throw refusal('max_tokens_per_doc', 'must be at least 1.')
  const items = wantArray(documents, 'documents')
  if (items.length === 0) throw refusal('documents', 'must not be empty.')
  rejectBeyondUnits(body, KNOWN, unknown_fields)
  const estimate = unitsOf(estimateTokens(query), items.map(documentTokens), max_tokens_per_doc)
  const beside = Math.ceil(applyBound(boundBeside, body).tokens + dropped_tokens)
  const bound = unitsOf(beside, items.map(boundDocument), max_tokens_per_doc)
  return {
    estimate,
    bound: {
      searches: Math.max(estimate.searches, bound.searches),
      input_tokens: inputBound(bound.input_tokens, estimate.input_tokens),
    },
  }
}

const boundBeside = fields({ documents: () => 0 })
const boundDocument = (document: Json): number => Math.ceil(boundTexts(document, 1))

/** @param beside_tokens the tokens read with each document @param documents the tokens of each */
function unitsOf(
  beside_tokens: number,
  documents: readonly number[],
  max_tokens_per_doc: number,
): RerankUnits {
  let chunks = 0
  let input_tokens = 0
  for (const document_tokens of documents) {
    input_tokens += beside_tokens + document_tokens
    const read_tokens = beside_tokens + Math.min(document_tokens, max_tokens_per_doc)
    chunks += Math.max(1, Math.ceil(read_tokens / CHUNK_TOKENS))
  }
  return { searches: Math.ceil(chunks / DOCUMENTS_PER_SEARCH), input_tokens }
}

function documentTokens(item: Json, index: number): number {
  if (typeof item === 'string') return estimateTokens(item)
  if (!isObject(item)) throw refusal(`documents[${index}]`, 'must be a text, or an object with its text.')
  return jsonTokens(item)
}

/**
 * Adds `usage.prompt_tokens` to a usage that only has a total, such as Jina's: a rerank has no output, and typed clients require the
 * field (crate zai-rs 0.5.0, RerankUsage), which vLLM's servers send.
 */
function withPromptTokens(json: ByteString, answer: JsonObject): ByteString {
  const { total_tokens, prompt_tokens } = objectIn(answer.usage)
  const tokens = countIn(total_tokens)
  const place = placeInObject(json, 'usage')
  if (tokens === undefined || prompt_tokens !== undefined || place === undefined) return json
  return json.slice(0, place) + toByteString(Buffer.from(`"prompt_tokens":${tokens},`)) + json.slice(place)
}

export const openaiRerank: UnitProtocol = {
  target: { path: '/rerank', headers: {} },
  completed: withPromptTokens,
  readUnits({ usage, meta }) {
    const { billed_units, tokens } = objectIn(meta)
    const searches = tokenCountIn(objectIn(billed_units).search_units)
    const counts = objectIn(usage)
    const input_tokens = tokenCountIn(
      counts.total_tokens ??
        counts.prompt_tokens ??
        objectIn(billed_units).input_tokens ??
        objectIn(tokens).input_tokens,
    )
    return searches === undefined && input_tokens === undefined ? undefined : { searches, input_tokens }
  },
}
