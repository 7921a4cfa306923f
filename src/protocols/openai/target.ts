// The upstream target of chat completions, and advice on a provider's address.

import { withoutTrailing } from '../../utilities/text-ends.ts'
import { redundantPathAdvice } from '../base-url.ts'
import type { UpstreamTarget } from '../facts.ts'

/**
 * The path of a call. As in OpenAI's SDKs, `base_url` includes the version, because it differs between servers:
 * https://api.openai.com/v1, https://openrouter.ai/api/v1, https://generativelanguage.googleapis.com/v1beta/openai,
 * http://localhost:11434/v1 (Ollama). The body names the model and whether to stream.
 */
export const TARGET: UpstreamTarget = { path: '/chat/completions', headers: {} }

/** https://platform.openai.com/docs/api-reference/models/list */
export const MODEL_LIST: UpstreamTarget = { path: '/models', headers: {} }

const ENDPOINT = /\/(?:chat\/completions|completions|responses|embeddings|models|images\/generations)$/
const VERSION = /\/v\d[^/]*(?=\/|$)/
const DOUBLED_VERSION = /(\/v\d[^/]*)\1$/
/** Servers without a version in their address, by their own documentation. */
const WITHOUT_VERSION = /^(?:api\.deepseek\.com|api\.perplexity\.ai|models\.github\.ai|.+\.azure\.com)$/
/** https://ai.google.dev/gemini-api/docs/openai */
const GOOGLE = 'generativelanguage.googleapis.com'

export function baseUrlAdvice(base_url: URL): string | undefined {
  const { hostname, origin } = base_url
  const path = withoutTrailing(base_url.pathname, '/')
  if (hostname === GOOGLE && !path.endsWith('/openai') && !ENDPOINT.test(path))
    return `is an address for protocol = "gemini"; for "openai" write "${origin}/v1beta/openai"`
  const [doubled, version = ''] = DOUBLED_VERSION.exec(path) ?? []
  if (doubled !== undefined)
    return `has its version twice: write "${origin}${path.slice(0, -version.length)}"`
  if (!ENDPOINT.test(path) && !VERSION.test(path) && !WITHOUT_VERSION.test(hostname))
    return `has no version, which most servers of this protocol want: write "${origin}${path}/v1"`
  return redundantPathAdvice(base_url, ENDPOINT)
}
