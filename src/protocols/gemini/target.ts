// Where a native request goes at a provider, and how it shows its key.
import type { UpstreamTarget } from '../facts.ts'

/**
 * Path, query and headers of a call. The key goes in a header, not in the URL, which proxies log.
 * Source: https://ai.google.dev/api/generate-content, "Method: models.generateContent" and
 * "models.streamGenerateContent".
 */
export function target(call: { model: string; api_key: string; streams: boolean }): UpstreamTarget {
  return methodTarget(call, call.streams ? 'streamGenerateContent?alt=sse' : 'generateContent')
}

/** The same for any method of a model. */
export function methodTarget(call: { model: string; api_key: string }, method: string): UpstreamTarget {
  const model = call.model.split('/').map(encodeURIComponent).join('/')
  return {
    path: `/v1beta/models/${model}:${method}`,
    headers: keyHeaders(call.api_key),
  }
}

/** https://ai.google.dev/api/models, "Method: models.list" */
export const modelList = ({ api_key }: { api_key: string }): UpstreamTarget => ({
  path: '/v1beta/models',
  headers: keyHeaders(api_key),
})

const keyHeaders = (api_key: string): Record<string, string> =>
  api_key === '' ? {} : { 'x-goog-api-key': api_key }
