// Where a chat completion request goes at a provider.
import type { UpstreamTarget } from '../facts.ts'

/**
 * The path of a call. `base_url` includes the version, as in OpenAI's SDKs, because it differs between servers:
 * https://api.openai.com/v1, https://openrouter.ai/api/v1, https://generativelanguage.googleapis.com/v1beta/openai,
 * http://localhost:11434/v1 (Ollama). The body names the model and says whether to stream.
 */
export const TARGET: UpstreamTarget = { path: '/chat/completions', headers: {} }

/** https://platform.openai.com/docs/api-reference/models/list */
export const MODEL_LIST: UpstreamTarget = { path: '/models', headers: {} }
