// Where a chat completion request goes at a provider, and how it shows its key.
import type { UpstreamTarget } from '../facts.ts'

/**
 * Path and headers of a call. `base_url` includes the version, as in OpenAI's SDKs, because it differs between servers:
 * https://api.openai.com/v1, https://openrouter.ai/api/v1, https://generativelanguage.googleapis.com/v1beta/openai,
 * http://localhost:11434/v1 (Ollama). The body names the model and says whether to stream.
 */
export const target = ({ api_key }: { api_key: string }): UpstreamTarget => ({
  path: '/chat/completions',
  headers: keyHeaders(api_key),
})

/** https://platform.openai.com/docs/api-reference/models/list */
export const modelList = ({ api_key }: { api_key: string }): UpstreamTarget => ({
  path: '/models',
  headers: keyHeaders(api_key),
})

/** How every endpoint of the protocol is shown a key. */
export const keyHeaders = (api_key: string): Record<string, string> =>
  api_key === '' ? {} : { authorization: `Bearer ${api_key}` }
