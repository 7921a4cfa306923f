// Vertex AI's URLs: by region, and below the project of the key.
import { isServiceAccount, projectOf } from '../service-account.ts'
import type { ServerCall, ServerFields } from './known-server.ts'

/** Its name in the table. */
export const VERTEX_AI = 'vertex'

const GLOBAL = 'global'
/** https://github.com/googleapis/js-genai src/_api_client.ts, MULTI_REGIONAL_LOCATIONS */
const MULTI_REGIONS: readonly string[] = ['us', 'eu']

export function vertexUrl({ region = GLOBAL }: ServerFields): string {
  if (region === GLOBAL) return 'https://aiplatform.googleapis.com'
  return MULTI_REGIONS.includes(region)
    ? `https://aiplatform.${region}.rep.googleapis.com`
    : `https://${region}-aiplatform.googleapis.com`
}

/** An API key needs no project: https://cloud.google.com/vertex-ai/generative-ai/docs/start/express-mode/vertex-ai-express-mode-api-reference */
export function vertexGeminiPath(path: string, call: ServerCall): string {
  const method = path.replace(/^\/v1beta\/models\//, '/publishers/google/models/')
  return `/v1beta1${isServiceAccount(call.api_key) ? placeOf(call) : ''}${method}`
}

/** https://platform.claude.com/docs/en/build-with-claude/claude-on-vertex-ai, npm @anthropic-ai/vertex-sdk src/client.ts */
export function vertexClaudePath(path: string, call: ServerCall): string {
  const models = `/v1${placeOf(call)}/publishers/anthropic/models`
  if (path.endsWith('/count_tokens')) return `${models}/count-tokens:rawPredict`
  const model = encodeURIComponent(call.model).replaceAll('%40', '@')
  return `${models}/${model}:${call.streams ? 'streamRawPredict' : 'rawPredict'}`
}

const placeOf = ({ provider: { region = GLOBAL }, api_key }: ServerCall): string =>
  `/projects/${encodeURIComponent(projectOf(api_key))}/locations/${region}`
