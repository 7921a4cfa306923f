// The types of images that text models take inline, by the protocol of their provider, and by server where one takes others.
import type { Provider } from '../domain/catalogue.ts'
import { serverNameOf } from '../domain/servers/lookup.ts'

const JPEG = 'image/jpeg'
const PNG = 'image/png'
const WEBP = 'image/webp'
const GIF = 'image/gif'

/**
 * https://ai.google.dev/gemini-api/docs/image-understanding ("Supported image formats"); spec.md, Native generation request. GIF is refused
 * since Gemini 2.0: https://discuss.ai.google.dev/t/gemini-2-api-returns-invalid-parameter-error-for-gif-inputs/71468
 */
export const GEMINI_IMAGE_TYPES: readonly string[] = [JPEG, PNG, WEBP, 'image/heic', 'image/heif']

/**
 * Claude: https://platform.claude.com/docs/en/build-with-claude/vision, and its refusal: "media_type: Input should be 'image/jpeg',
 * 'image/png', 'image/gif' or 'image/webp'" (https://github.com/anomalyco/opencode/pull/5704). OpenAI:
 * https://platform.openai.com/docs/guides/images-vision (GIF where it is not animated), and its refusal: "one the following formats:
 * ['png', 'jpeg', 'gif', 'webp']" (https://github.com/CosmosShadow/gptpdf/issues/6).
 */
const BY_PROTOCOL: Readonly<Record<string, readonly string[]>> = {
  anthropic: [JPEG, PNG, GIF, WEBP],
  openai: [JPEG, PNG, GIF, WEBP],
  gemini: GEMINI_IMAGE_TYPES,
}

/** https://docs.x.ai/developers/model-capabilities/images/understanding: "jpg/jpeg or png". */
const BY_SERVER: Readonly<Record<string, readonly string[]>> = { xai: [JPEG, PNG] }

/**
 * Google's chat completions, which no known server speaks, have Gemini's types:
 * https://cloud.google.com/distributed-cloud/hosted/docs/latest/gdch/gemini/capabilities/image
 */
const GOOGLE = /^https:\/\/[\w.-]+\.googleapis\.com\//

type Addressed = Pick<Provider, 'protocol' | 'base_url' | 'server'>

/** The types that a provider takes inline; undefined for a protocol without a list: then images pass unchanged. */
export function imageTypesOf(provider: Addressed): readonly string[] | undefined {
  const { protocol, base_url } = provider
  const own = BY_SERVER[serverNameOf(provider) ?? '']
  if (own) return own
  return protocol === 'openai' && GOOGLE.test(base_url) ? GEMINI_IMAGE_TYPES : BY_PROTOCOL[protocol]
}
