// Provider prefixes of LiteLLM's model names (`groq/llama-…`): the known server or address, and the environment variables of the key.
import type { ServedProtocol } from '../../../src/domain/servers/known-server.ts'

/** A provider by the name that LiteLLM writes before the slash. */
export interface Prefix {
  /** Its name in the table of known servers. */
  readonly server?: string
  /** The address of a server outside that table with the `openai` protocol. Empty: the deployment must have it. */
  readonly base_url?: string
  /** Environment variables in which LiteLLM looks for a key that the deployment lacks. The first that is set wins. */
  readonly key_variables: readonly string[]
  /** Environment variables for the address, in the same way. */
  readonly base_variables?: readonly string[]
  /** The server accepts calls without a key. */
  readonly keyless?: true
}

const server = (name: string, key_variables: readonly string[], more: Partial<Prefix> = {}): Prefix => ({
  server: name,
  key_variables,
  ...more,
})

const at = (base_url: string, key_variables: readonly string[], more: Partial<Prefix> = {}): Prefix => ({
  base_url,
  key_variables,
  ...more,
})

const OPENAI = server('openai', ['OPENAI_API_KEY'], {
  base_variables: ['OPENAI_BASE_URL', 'OPENAI_API_BASE'],
})
const AZURE = server('azure', ['AZURE_API_KEY', 'AZURE_OPENAI_API_KEY'], {
  base_variables: ['AZURE_API_BASE'],
})
const BEDROCK = server('bedrock', ['AWS_BEARER_TOKEN_BEDROCK'])
const VERTEX = server('vertex', [])
const OLLAMA = server('ollama', ['OLLAMA_API_KEY'], { base_variables: ['OLLAMA_API_BASE'], keyless: true })
const VLLM = server('vllm', ['HOSTED_VLLM_API_KEY'], {
  base_variables: ['HOSTED_VLLM_API_BASE'],
  keyless: true,
})
const COHERE_KEYS = ['COHERE_API_KEY', 'CO_API_KEY']

/**
 * Names, addresses and variables: litellm 1.72.6 and 1.110.2, litellm_core_utils/get_llm_provider_logic.py and llms/PROVIDER/, and the pages
 * of providers at https://docs.litellm.ai/docs/providers. Other providers have protocols of their own.
 */
export const PREFIXES: ReadonlyMap<string, Prefix> = new Map(
  Object.entries({
    openai: OPENAI,
    'text-completion-openai': OPENAI,
    custom_openai: at('', ['OPENAI_API_KEY']),
    openai_like: at('', ['OPENAI_LIKE_API_KEY']),
    anthropic: server('anthropic', ['ANTHROPIC_API_KEY'], {
      base_variables: ['ANTHROPIC_API_BASE', 'ANTHROPIC_BASE_URL'],
    }),
    gemini: server('google', ['GEMINI_API_KEY', 'GOOGLE_API_KEY']),
    azure: AZURE,
    azure_text: AZURE,
    azure_ai: server('foundry', ['AZURE_AI_API_KEY'], { base_variables: ['AZURE_AI_API_BASE'] }),
    bedrock: BEDROCK,
    bedrock_converse: BEDROCK,
    vertex_ai: VERTEX,
    vertex_ai_beta: VERTEX,
    openrouter: server('openrouter', ['OPENROUTER_API_KEY', 'OR_API_KEY']),
    groq: server('groq', ['GROQ_API_KEY'], { base_variables: ['GROQ_API_BASE'] }),
    mistral: server('mistral', ['MISTRAL_API_KEY'], { base_variables: ['MISTRAL_API_BASE'] }),
    codestral: at('https://codestral.mistral.ai/v1', ['CODESTRAL_API_KEY']),
    deepseek: server('deepseek', ['DEEPSEEK_API_KEY'], { base_variables: ['DEEPSEEK_API_BASE'] }),
    xai: server('xai', ['XAI_API_KEY'], { base_variables: ['XAI_API_BASE'] }),
    moonshot: server('moonshot', ['MOONSHOT_API_KEY'], { base_variables: ['MOONSHOT_API_BASE'] }),
    minimax: server('minimax', ['MINIMAX_API_KEY'], { base_variables: ['MINIMAX_API_BASE'] }),
    together_ai: server('together', ['TOGETHERAI_API_KEY', 'TOGETHER_API_KEY', 'TOGETHER_AI_API_KEY']),
    fireworks_ai: server('fireworks', ['FIREWORKS_API_KEY', 'FIREWORKS_AI_API_KEY']),
    cerebras: server('cerebras', ['CEREBRAS_API_KEY'], { base_variables: ['CEREBRAS_API_BASE'] }),
    ollama: OLLAMA,
    ollama_chat: OLLAMA,
    vllm: VLLM,
    hosted_vllm: VLLM,
    perplexity: at('https://api.perplexity.ai', ['PERPLEXITYAI_API_KEY', 'PERPLEXITY_API_KEY']),
    deepinfra: at('https://api.deepinfra.com/v1/openai', ['DEEPINFRA_API_KEY']),
    nvidia_nim: at('https://integrate.api.nvidia.com/v1', ['NVIDIA_NIM_API_KEY']),
    sambanova: at('https://api.sambanova.ai/v1', ['SAMBANOVA_API_KEY']),
    nebius: at('https://api.studio.nebius.ai/v1', ['NEBIUS_API_KEY']),
    novita: at('https://api.novita.ai/v3/openai', ['NOVITA_API_KEY']),
    hyperbolic: at('https://api.hyperbolic.xyz/v1', ['HYPERBOLIC_API_KEY']),
    featherless_ai: at('https://api.featherless.ai/v1', ['FEATHERLESS_AI_API_KEY', 'FEATHERLESS_API_KEY']),
    nscale: at('https://inference.api.nscale.com/v1', ['NSCALE_API_KEY']),
    lambda_ai: at('https://api.lambda.ai/v1', ['LAMBDA_API_KEY']),
    meta_llama: at('https://api.llama.com/compat/v1', ['LLAMA_API_KEY']),
    friendliai: at('https://api.friendli.ai/serverless/v1', ['FRIENDLIAI_API_KEY', 'FRIENDLI_TOKEN']),
    volcengine: at('https://ark.cn-beijing.volces.com/api/v3', ['VOLCENGINE_API_KEY']),
    dashscope: at('https://dashscope-intl.aliyuncs.com/compatible-mode/v1', ['DASHSCOPE_API_KEY']),
    github: at('https://models.inference.ai.azure.com', ['GITHUB_API_KEY']),
    baseten: at('https://inference.baseten.co/v1', ['BASETEN_API_KEY']),
    wandb: at('https://api.inference.wandb.ai/v1', ['WANDB_API_KEY']),
    vercel_ai_gateway: at('https://ai-gateway.vercel.sh/v1', ['VERCEL_AI_GATEWAY_API_KEY']),
    voyage: at('https://api.voyageai.com/v1', ['VOYAGE_API_KEY', 'VOYAGE_AI_API_KEY']),
    jina_ai: at('https://api.jina.ai/v1', ['JINA_AI_API_KEY']),
    // https://docs.cohere.com/docs/compatibility-api; for rerank see addresses.ts.
    cohere: at('https://api.cohere.ai/compatibility/v1', COHERE_KEYS),
    cohere_chat: at('https://api.cohere.ai/compatibility/v1', COHERE_KEYS),
    litellm_proxy: at('', ['LITELLM_PROXY_API_KEY'], { base_variables: ['LITELLM_PROXY_API_BASE'] }),
    databricks: at('', ['DATABRICKS_API_KEY'], { base_variables: ['DATABRICKS_API_BASE'] }),
    xinference: at('', ['XINFERENCE_API_KEY'], { base_variables: ['XINFERENCE_API_BASE'], keyless: true }),
    lm_studio: at('', ['LM_STUDIO_API_KEY'], { base_variables: ['LM_STUDIO_API_BASE'], keyless: true }),
    llamafile: at('http://127.0.0.1:8080/v1', ['LLAMAFILE_API_KEY'], { keyless: true }),
  } satisfies Record<string, Prefix>),
)

/** Models that LiteLLM knows without a prefix, by the start of the name: litellm 1.72.6 model_prices_and_context_window_backup.json. */
const FAMILIES: readonly (readonly [name: RegExp, prefix: string])[] = [
  [
    /^(?:gpt-|chatgpt-|o[134](?:-|$)|text-embedding-|dall-e-|whisper-|tts-|omni-moderation|ft:gpt-)/,
    'openai',
  ],
  [/^claude-/, 'anthropic'],
  [/^(?:command-|rerank-|embed-)/, 'cohere'],
]

/** Returns the prefix for a model name without one; undefined if the family is unknown. */
export const prefixOfName = (model: string): string | undefined =>
  FAMILIES.find(([pattern]) => pattern.test(model))?.[1]

/** Returns the protocol in which a known server serves a model: Anthropic's for Claude if the server supports it. */
export function protocolFor(server_name: string, model: string): ServedProtocol | undefined {
  const is_claude = /claude/i.test(model)
  if (server_name === 'bedrock' || server_name === 'foundry') return is_claude ? 'anthropic' : 'openai'
  if (server_name === 'vertex') return is_claude ? 'anthropic' : 'gemini'
  return undefined
}
