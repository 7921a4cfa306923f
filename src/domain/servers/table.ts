// The table of known servers, a row for each, with its sources. The keys are the values of a provider's `server`.

import { azurePath } from './azure.ts'
import { bedrockUrl } from './bedrock.ts'
import type { Access, KnownServer } from './known-server.ts'
import { vertexClaudePath, vertexGeminiPath, vertexUrl } from './vertex.ts'

const at = (base_url: string): Access => ({ base_url: () => base_url })

/** Matches every URL. */
const ANYWHERE = /^/

const TABLE = {
  /** https://platform.openai.com/docs/api-reference/responses; regions have their own hosts: `eu.api.openai.com`. */
  openai: {
    title: 'OpenAI',
    speaks: { openai: at('https://api.openai.com/v1') },
    hosts: /^(?:[\w-]+\.)?api\.openai\.com$/,
    responses_at: ANYWHERE,
    simulated: true,
    price_names: ['openai', 'text-completion-openai'],
    also_called: ['gpt', 'chatgpt'],
    keys_url: 'https://platform.openai.com/api-keys',
    prices_url: 'https://developers.openai.com/api/docs/pricing',
  },
  /** https://platform.claude.com/docs/en/api/overview */
  anthropic: {
    title: 'Anthropic',
    speaks: { anthropic: at('https://api.anthropic.com') },
    hosts: /^(?:[\w-]+\.)?api\.anthropic\.com$/,
    price_names: ['anthropic'],
    also_called: ['claude'],
    keys_url: 'https://platform.claude.com/settings/keys',
    prices_url: 'https://platform.claude.com/docs/en/about-claude/pricing',
  },
  /** https://ai.google.dev/api */
  google: {
    title: 'Google Gemini',
    speaks: { gemini: at('https://generativelanguage.googleapis.com') },
    hosts: /^generativelanguage\.googleapis\.com$/,
    price_names: ['gemini'],
    also_called: ['aistudio', 'google-ai-studio', 'google-genai'],
    keys_url: 'https://aistudio.google.com/apikey',
    prices_url: 'https://ai.google.dev/gemini-api/docs/pricing',
  },
  /**
   * https://learn.microsoft.com/azure/ai-foundry/openai/api-version-lifecycle: v1 has no version in the query. The older URLs accept
   * keys in this header only: openai npm 7.57 src/azure.ts authHeaders.
   */
  azure: {
    title: 'Azure OpenAI',
    speaks: {
      openai: {
        base_url: ({ resource, api_version }) =>
          `https://${resource}.openai.azure.com/openai${api_version === undefined ? '/v1' : ''}`,
        key_header: 'api-key',
        pathTo: azurePath,
      },
    },
    needs: ['resource'],
    takes: ['api_version'],
    has_deployments: true,
    hosts: /\.(?:openai|services\.ai|cognitiveservices)\.azure\.(?:com|us|cn)$/,
    responses_at: /\/openai\/v1$/,
    simulated: true,
    price_names: ['azure'],
    keys_url: 'https://ai.azure.com',
    prices_url: 'https://azure.microsoft.com/pricing/details/cognitive-services/openai-service/',
  },
  /**
   * Claude: https://platform.claude.com/docs/en/build-with-claude/claude-in-microsoft-foundry. All other models:
   * https://learn.microsoft.com/azure/ai-foundry/openai/api-version-lifecycle.
   */
  foundry: {
    title: 'Microsoft Foundry',
    speaks: {
      anthropic: { base_url: ({ resource }) => `https://${resource}.services.ai.azure.com/anthropic` },
      openai: {
        base_url: ({ resource }) => `https://${resource}.services.ai.azure.com/openai/v1`,
        key_header: 'api-key',
      },
    },
    needs: ['resource'],
    has_deployments: true,
    hosts: /\.services\.ai\.azure\.com$/,
    price_names: ['azure_ai'],
    also_called: ['azure-foundry', 'ai-foundry'],
    keys_url: 'https://ai.azure.com',
    prices_url: 'https://azure.microsoft.com/pricing/details/ai-foundry-models/',
  },
  /**
   * https://docs.aws.amazon.com/bedrock/latest/userguide/endpoints.html, .../inference-messages-api.html; keys: .../api-keys-use.html. Only
   * OpenAI's closed models support responses: .../inference-responses-api.html.
   */
  bedrock: {
    title: 'Amazon Bedrock',
    speaks: {
      anthropic: { base_url: (fields) => bedrockUrl(fields, '/anthropic'), key_header: 'authorization' },
      openai: { base_url: (fields) => bedrockUrl(fields, '/openai/v1') },
    },
    needs: ['region'],
    model_form: 'eu.anthropic.claude-… of an inference profile',
    hosts: /^bedrock-runtime\.[\w-]+\.amazonaws\.(?:com|com\.cn|eu)$/,
    responses_at: ANYWHERE,
    responses_models: /(?:^|\.)openai\.gpt-(?!oss)/,
    price_names: ['bedrock', 'bedrock_converse', 'bedrock_mantle'],
    also_called: ['aws', 'amazon', 'aws-bedrock'],
    keys_url: 'https://console.aws.amazon.com/bedrock/home#/api-keys',
    prices_url: 'https://aws.amazon.com/bedrock/pricing/',
  },
  /** https://openrouter.ai/docs/api-reference/responses-api, https://openrouter.ai/docs/use-cases/reasoning-tokens */
  openrouter: {
    title: 'OpenRouter',
    speaks: { openai: at('https://openrouter.ai/api/v1') },
    hosts: /^(?:[\w-]+\.)?openrouter\.ai$/,
    responses_at: ANYWHERE,
    reasons_in_chat: true,
    simulated: true,
    price_names: ['openrouter'],
    keys_url: 'https://openrouter.ai/settings/keys',
    prices_url: 'https://openrouter.ai/models',
  },
  /** https://console.groq.com/docs/openai */
  groq: {
    title: 'Groq',
    speaks: { openai: at('https://api.groq.com/openai/v1') },
    hosts: /^api\.groq\.com$/,
    simulated: true,
    price_names: ['groq'],
    keys_url: 'https://console.groq.com/keys',
    prices_url: 'https://groq.com/pricing',
  },
  /** https://docs.mistral.ai/api */
  mistral: {
    title: 'Mistral',
    speaks: { openai: at('https://api.mistral.ai/v1') },
    hosts: /^(?:api|codestral)\.mistral\.ai$/,
    simulated: true,
    price_names: ['mistral'],
    also_called: ['mistralai', 'codestral'],
    keys_url: 'https://console.mistral.ai/api-keys',
    prices_url: 'https://mistral.ai/pricing',
  },
  /** https://api-docs.deepseek.com, https://api-docs.deepseek.com/guides/anthropic_api */
  deepseek: {
    title: 'DeepSeek',
    speaks: { openai: at('https://api.deepseek.com'), anthropic: at('https://api.deepseek.com/anthropic') },
    hosts: /^api\.deepseek\.com$/,
    simulated: true,
    price_names: ['deepseek'],
    keys_url: 'https://platform.deepseek.com/api_keys',
    prices_url: 'https://api-docs.deepseek.com/quick_start/pricing',
  },
  /** https://docs.x.ai/docs/api-reference; regions: `us-east-1.api.x.ai`. */
  xai: {
    title: 'xAI',
    speaks: { openai: at('https://api.x.ai/v1') },
    hosts: /^(?:[\w-]+\.)?api\.x\.ai$/,
    simulated: true,
    price_names: ['xai'],
    also_called: ['grok'],
    keys_url: 'https://console.x.ai',
    prices_url: 'https://docs.x.ai/docs/models',
  },
  /** https://platform.moonshot.ai/docs/api/chat */
  moonshot: {
    title: 'Moonshot',
    speaks: { openai: at('https://api.moonshot.ai/v1') },
    hosts: /^api\.moonshot\.(?:ai|cn)$/,
    simulated: true,
    price_names: ['moonshot'],
    also_called: ['kimi', 'moonshotai'],
    keys_url: 'https://platform.moonshot.ai/console/api-keys',
    prices_url: 'https://platform.moonshot.ai/docs/pricing/chat',
  },
  /** https://platform.minimax.io/docs/api-reference/text-openai-api */
  minimax: {
    title: 'MiniMax',
    speaks: { openai: at('https://api.minimax.io/v1'), anthropic: at('https://api.minimax.io/anthropic') },
    hosts: /^api\.minimax(?:i\.com|\.io)$/,
    price_names: ['minimax'],
    keys_url: 'https://platform.minimax.io/user-center/basic-information/interface-key',
    prices_url: 'https://platform.minimax.io/docs/guides/pricing',
  },
  /** https://docs.together.ai/docs/openai-api-compatibility */
  together: {
    title: 'Together AI',
    speaks: { openai: at('https://api.together.xyz/v1') },
    hosts: /^api\.together\.(?:xyz|ai)$/,
    simulated: true,
    price_names: ['together_ai'],
    keys_url: 'https://api.together.ai/settings/api-keys',
    prices_url: 'https://www.together.ai/pricing',
  },
  /** https://docs.fireworks.ai/tools-sdks/openai-compatibility */
  fireworks: {
    title: 'Fireworks AI',
    speaks: { openai: at('https://api.fireworks.ai/inference/v1') },
    model_form: 'accounts/fireworks/models/…',
    hosts: /^api\.fireworks\.ai$/,
    price_names: ['fireworks_ai'],
    keys_url: 'https://app.fireworks.ai/settings/users/api-keys',
    prices_url: 'https://fireworks.ai/pricing',
  },
  /** https://inference-docs.cerebras.ai/resources/openai */
  cerebras: {
    title: 'Cerebras',
    speaks: { openai: at('https://api.cerebras.ai/v1') },
    hosts: /^api\.cerebras\.ai$/,
    price_names: ['cerebras'],
    keys_url: 'https://cloud.cerebras.ai',
    prices_url: 'https://www.cerebras.ai/pricing',
  },
  /** Gemini: https://github.com/googleapis/js-genai src/_api_client.ts. Claude: https://platform.claude.com/docs/en/build-with-claude/claude-on-vertex-ai */
  vertex: {
    title: 'Vertex AI',
    speaks: {
      gemini: { base_url: vertexUrl, pathTo: vertexGeminiPath },
      anthropic: { base_url: vertexUrl, pathTo: vertexClaudePath },
    },
    takes: ['region'],
    model_form: 'gemini-3.5-flash or claude-haiku-4-5@20251001',
    hosts: /^(?:[\w-]+-)?aiplatform\.googleapis\.com$|^aiplatform\.(?:us|eu)\.rep\.googleapis\.com$/,
    takes_accounts: true,
    lacks_embeddings: true,
    price_names: ['vertex_ai-language-models', 'vertex_ai-anthropic_models', 'vertex_ai'],
    also_called: ['gcp', 'google-cloud', 'google-vertex'],
    keys_url: 'https://console.cloud.google.com/iam-admin/serviceaccounts',
    prices_url: 'https://cloud.google.com/vertex-ai/generative-ai/pricing',
  },
  /** https://docs.ollama.com/api/openai-compatibility */
  ollama: {
    title: 'Ollama',
    speaks: { openai: at('http://127.0.0.1:11434/v1') },
    hosts: /^(?:www\.)?ollama\.com$/,
    port: '11434',
    keyless: true,
    simulated: true,
    price_names: ['ollama'],
  },
  /** https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html */
  vllm: {
    title: 'vLLM',
    speaks: { openai: at('http://127.0.0.1:8000/v1') },
    keyless: true,
    simulated: true,
    price_names: ['vllm'],
  },
} as const satisfies Readonly<Record<string, KnownServer>>

export const KNOWN_SERVERS: ReadonlyMap<string, KnownServer> = new Map<string, KnownServer>(
  Object.entries(TABLE),
)
