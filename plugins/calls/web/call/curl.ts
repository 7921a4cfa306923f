// A call as a curl command: the same endpoint and model, with a placeholder for the content, which is not stored.
import {
  type ApiRequest,
  requestOf,
  type SampleMessage,
} from '../../../console/web/parts/code-samples/requests.ts'
import { curl } from '../../../console/web/parts/code-samples/samples.ts'

interface Call {
  surface: string
  model: string
  streamed: boolean
}

interface CurlRequest {
  model: string
  stream: true | undefined
}

const CONTENT = 'PUT YOUR CONTENT HERE'
const messages: readonly SampleMessage[] = [{ role: 'user', content: CONTENT }]

const REQUESTS: Readonly<Record<string, (request: CurlRequest) => ApiRequest>> = {
  chat: ({ model, stream }) => requestOf('OpenAI', { model, messages, fields: { stream } }),
  messages: ({ model, stream }) => requestOf('Anthropic', { model, messages, fields: { stream } }),
  native: ({ model, stream }) => requestOf('Google', { model, messages, fields: { stream } }),
  completions: ({ model, stream }) => ({ path: '/v1/completions', body: { model, stream, prompt: CONTENT } }),
  responses: ({ model, stream }) => ({ path: '/v1/responses', body: { model, stream, input: CONTENT } }),
  embeddings: ({ model }) => ({ path: '/v1/embeddings', body: { model, input: CONTENT } }),
  moderations: ({ model }) => ({ path: '/v1/moderations', body: { model, input: CONTENT } }),
  rerank: ({ model }) => ({ path: '/v1/rerank', body: { model, query: CONTENT, documents: [CONTENT] } }),
  images: ({ model }) => ({ path: '/v1/images/generations', body: { model, prompt: CONTENT } }),
}

/**
 * @param base_url the URL of the gateway for callers
 * @param key_variable the environment variable with the key, as in `SampleCall`
 * @returns undefined for surfaces whose requests are forms with files
 */
export function curlOf(
  { surface, model, streamed }: Call,
  base_url: string,
  key_variable?: string,
): string | undefined {
  const request = REQUESTS[surface]?.({ model, stream: streamed || undefined })
  return request && curl(base_url, request, key_variable === undefined ? {} : { key_variable })
}
