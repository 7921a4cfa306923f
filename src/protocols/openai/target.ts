import type { UpstreamTarget } from '../facts.ts'
// Owns where a chat completion request goes at a provider, and how it shows its key.

/**
 * Path and headers of a call. `base_url` holds the version, as in OpenAI's SDKs, for it differs from server to server:
 * https://api.openai.com/v1, https://openrouter.ai/api/v1, https://generativelanguage.googleapis.com/v1beta/openai,
 * http://localhost:11434/v1 (Ollama). Model and stream are told in the body.
 */
export const target = ({ api_key }: { api_key: string }): UpstreamTarget => ({
  path: '/chat/completions',
  headers: api_key === '' ? {} : { authorization: `Bearer ${api_key}` },
})
