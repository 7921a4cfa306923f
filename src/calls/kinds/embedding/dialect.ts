// The dialect of an embeddings call: reads the request and writes the vectors.
import type { Usage } from '../../../domain/usage.ts'
import type { EmbeddingRequest } from '../../../protocols/embeddings.ts'
import {
  embedNames,
  readNativeEmbedding,
  rejectUnknownNative,
  writeNativeEmbeddings,
} from '../../../protocols/gemini/embeddings.ts'
import {
  readEmbeddingRequest,
  rejectUnknown,
  showEmbeddingUsage,
  writeEmbeddings,
} from '../../../protocols/openai/embeddings.ts'
import { openai } from '../../../protocols/openai/index.ts'
import { embeddingNames } from '../../../protocols/openai/names.ts'
import type { JsonObject } from '../../../protocols/wire/json.ts'
import type { Names } from '../../../protocols/wire/json-names.ts'
import { readCallTarget } from '../../bodies/arrival.ts'
import { renameBytes, renameTo } from '../../serving/model-name.ts'

/** A provider's answer: its bytes, and its vectors if they were decoded. */
interface EmbeddingAnswer {
  bytes: Uint8Array<ArrayBuffer>
  vectors: readonly (readonly number[])[] | undefined
}

/** The parts of a written answer. */
interface Written {
  answer: EmbeddingAnswer
  request: EmbeddingRequest
  model_id: string
  /** The provider's own name of the model. */
  upstream_model: string
  usage: Usage
  /** The provider did not report this usage. */
  estimated: boolean
}

export interface EmbeddingDialect {
  /** The protocol whose providers get the caller's bytes; undefined if the request is always encoded anew. */
  passes_to: string | undefined
  names: Names
  /** The model, if the URL names it. */
  model_id?: string
  modelOf(body: JsonObject): string
  /** @throws GatewayError invalid_request naming the field */
  read(body: JsonObject): EmbeddingRequest
  /** @throws GatewayError invalid_request naming an unknown field */
  rejectUnknown(body: JsonObject): void
  write(written: Written): Uint8Array<ArrayBuffer> | string
}

/** `POST /v1/embeddings`. */
export const OPENAI_EMBEDDINGS: EmbeddingDialect = {
  passes_to: openai.name,
  names: embeddingNames,
  modelOf: (body) => readCallTarget(body).model_id,
  read: readEmbeddingRequest,
  rejectUnknown,
  write({ answer: { bytes, vectors }, request, model_id, upstream_model, usage, estimated }) {
    if (vectors) return writeEmbeddings(vectors, request, model_id, usage)
    const answer_bytes = estimated ? showEmbeddingUsage(bytes, usage) : bytes
    return upstream_model === model_id
      ? answer_bytes
      : renameBytes(answer_bytes, renameTo(model_id, ['model']))
  },
}

/** `:embedContent` or `:batchEmbedContents` of the model in the URL. */
export const nativeEmbeddings = (method: string, model_id: string): EmbeddingDialect => ({
  passes_to: undefined,
  names: embedNames,
  model_id,
  modelOf: () => model_id,
  read: (body) => readNativeEmbedding(body, method, model_id),
  rejectUnknown: (body) => rejectUnknownNative(body, method),
  write: ({ answer: { vectors = [] }, usage }) => writeNativeEmbeddings(vectors, method, usage),
})
