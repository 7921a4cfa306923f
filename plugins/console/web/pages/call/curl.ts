// A call as a curl command: the same endpoint and model, with content to be put in, since content is not kept.
import { inShell } from '../../parts/samples.ts'
import type { Call } from './call-answer.ts'

type Asked = Pick<Call, 'surface' | 'model' | 'streamed'>

interface Request {
  path: string
  body: object
  headers?: readonly string[]
}

const CONTENT = 'PUT YOUR CONTENT HERE'
const MESSAGES = [{ role: 'user', content: CONTENT }]
/** The messages protocol requires a limit. */
const MAX_TOKENS = 1_024

const REQUESTS: Readonly<Record<string, (asked: Asked) => Request>> = {
  chat: ({ model, streamed }) => ({
    path: '/v1/chat/completions',
    body: { model, ...streaming(streamed), messages: MESSAGES },
  }),
  completions: ({ model, streamed }) => ({
    path: '/v1/completions',
    body: { model, ...streaming(streamed), prompt: CONTENT },
  }),
  responses: ({ model, streamed }) => ({
    path: '/v1/responses',
    body: { model, ...streaming(streamed), input: CONTENT },
  }),
  messages: ({ model, streamed }) => ({
    path: '/v1/messages',
    body: { model, ...streaming(streamed), max_tokens: MAX_TOKENS, messages: MESSAGES },
    headers: ['anthropic-version: 2023-06-01'],
  }),
  native: ({ model, streamed }) => ({
    path: `/v1beta/models/${encodeURIComponent(model)}:${streamed ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    body: { contents: [{ role: 'user', parts: [{ text: CONTENT }] }] },
  }),
  embeddings: ({ model }) => ({ path: '/v1/embeddings', body: { model, input: CONTENT } }),
  moderations: ({ model }) => ({ path: '/v1/moderations', body: { model, input: CONTENT } }),
  rerank: ({ model }) => ({ path: '/v1/rerank', body: { model, query: CONTENT, documents: [CONTENT] } }),
  images: ({ model }) => ({ path: '/v1/images/generations', body: { model, prompt: CONTENT } }),
}

const streaming = (streamed: boolean) => (streamed ? { stream: true } : {})

/**
 * @param base_url how the gateway is reached
 * @returns undefined for surfaces whose requests are forms with files
 */
export function curlOf(call: Asked, base_url: string): string | undefined {
  const request = REQUESTS[call.surface]?.(call)
  if (!request) return undefined
  const { path, body, headers = [] } = request
  return [
    `curl ${inShell(`${base_url}${path}`)} \\`,
    // In double quotes: the shell puts the key in.
    '  -H "Authorization: Bearer $TOLLGATE_KEY" \\',
    ...['Content-Type: application/json', ...headers].map((header) => `  -H ${inShell(header)} \\`),
    `  -d ${inShell(JSON.stringify(body))}`,
  ].join('\n')
}
