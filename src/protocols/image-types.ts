// Image types that text models accept inline, by their provider's server; without documentation, by its protocol.
import type { Provider } from '../domain/catalogue.ts'
import { serverNameOf } from '../domain/servers/lookup.ts'

/** Images that pass through unchanged. */
export interface AcceptedImages {
  readonly types: readonly string[]
  /** Whether animations of these types also pass: the model reads the first frame. */
  readonly takes_animations: boolean
}

/** The images that a provider accepts. */
export interface ImageTypes extends AcceptedImages {
  /** The types are documented, so the gateway refuses all others. Otherwise the provider may accept more. */
  readonly is_documented: boolean
}

const JPEG = 'image/jpeg'
const PNG = 'image/png'
const WEB_TYPES: readonly string[] = [JPEG, PNG, 'image/gif', 'image/webp']

/**
 * https://ai.google.dev/gemini-api/docs/image-understanding ("Supported image formats"); spec.md, Native generation request. GIF is refused
 * since Gemini 2.0: https://discuss.ai.google.dev/t/gemini-2-api-returns-invalid-parameter-error-for-gif-inputs/71468
 */
export const GEMINI_IMAGE_TYPES: readonly string[] = [JPEG, PNG, 'image/webp', 'image/heic', 'image/heif']

/** For servers that do not document reading the first frame of an animation: the gateway sends a still image, which all accept. */
const stills = (types: readonly string[]): ImageTypes => ({
  types,
  is_documented: true,
  takes_animations: false,
})
const WITH_ANIMATIONS: ImageTypes = { types: WEB_TYPES, is_documented: true, takes_animations: true }
const GEMINI = stills(GEMINI_IMAGE_TYPES)

/**
 * Claude: "Animations are unsupported, and only the first frame is used", https://platform.claude.com/docs/en/build-with-claude/vision, and
 * its refusal of other types: "media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'"
 * (https://github.com/anomalyco/opencode/pull/5704).
 */
const CLAUDE_SERVERS = ['anthropic', 'bedrock', 'foundry', 'vertex'] as const

/** Servers with documented types, by protocol. All others, such as Groq, Together or a self-hosted server, may accept more. */
const DOCUMENTED: Readonly<Record<string, Readonly<Record<string, ImageTypes>>>> = {
  anthropic: Object.fromEntries(CLAUDE_SERVERS.map((name) => [name, WITH_ANIMATIONS])),
  openai: {
    /**
     * "Non-animated GIF": https://platform.openai.com/docs/guides/images-vision, https://community.openai.com/t/how-to-use-bmp-images-with-api/653232.
     * Its refusal: "one the following formats: ['png', 'jpeg', 'gif', 'webp']" (https://github.com/CosmosShadow/gptpdf/issues/6).
     */
    openai: stills(WEB_TYPES),
    /** "GIF (first frame only)": https://learn.microsoft.com/azure/ai-foundry/openai/how-to/gpt-with-vision */
    azure: WITH_ANIMATIONS,
    /** https://openrouter.ai/docs/guides/overview/multimodal/images */
    openrouter: stills(WEB_TYPES),
    /** "Allowed formats are JPEG,PNG,WEBP,GIF": https://github.com/mistralai/platform-docs-public/issues/149 */
    mistral: stills(WEB_TYPES),
    /** "jpg/jpeg or png": https://docs.x.ai/developers/model-capabilities/images/understanding */
    xai: stills([JPEG, PNG]),
  },
}

/** Types for servers without documentation: other types are converted if possible, and pass unchanged if not. */
const UNDOCUMENTED: ImageTypes = { types: WEB_TYPES, is_documented: false, takes_animations: true }

/**
 * Google's chat completions, which belong to no known server, accept Gemini's types:
 * https://cloud.google.com/distributed-cloud/hosted/docs/latest/gdch/gemini/capabilities/image
 */
const GOOGLE = /^https:\/\/[\w.-]+\.googleapis\.com\//

/** A simulated provider without a server counts as the protocol's own provider. */
const SIMULATOR = 'simulator'

type Addressed = Pick<Provider, 'protocol' | 'base_url' | 'server'>

/** The images that a provider accepts inline; undefined for a protocol of a plugin: images then pass unchanged. */
export function imageTypesOf(provider: Addressed): ImageTypes | undefined {
  const { protocol, base_url } = provider
  if (protocol === 'gemini') return GEMINI
  const documented = DOCUMENTED[protocol]
  if (!documented) return undefined
  if (protocol === 'openai' && GOOGLE.test(base_url)) return GEMINI
  const server = base_url === SIMULATOR ? protocol : serverNameOf(provider)
  return documented[server ?? ''] ?? UNDOCUMENTED
}
