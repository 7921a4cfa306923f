// The rules of known servers of chat completions: a row for each server, with the source of every rule.
/** Fields that a server refuses, for some models or for all. */
interface Refused {
  readonly fields: readonly string[]
  /** Undefined for all models. */
  readonly models?: RegExp
}

/** The accepted levels of `reasoning_effort`, rising. */
interface Efforts {
  readonly models?: RegExp
  /** Empty if the field is refused. */
  readonly levels: readonly string[]
}

/** The field that takes back the thinking of an assistant's message. */
type ThinkingField = 'reasoning_content' | 'reasoning' | 'reasoning_details'

export interface ServerRules {
  /** The server's own names of fields. */
  readonly renamed?: Readonly<Record<string, string>>
  readonly dropped_fields?: readonly Refused[]
  /** Fields that the answer depends on: translation refuses them too. */
  readonly refused_fields?: readonly Refused[]
  /** The first row that matches a model applies; without one, the field is not changed. */
  readonly efforts?: readonly Efforts[]
  /** The server refuses what the generations of OpenAI's models lack: see the table in `model.ts`. */
  readonly by_generation?: true
  /** The longest accepted id of an end user, by field. */
  readonly max_chars?: Readonly<Record<string, number>>
  /** `thinking: { type: "disabled" }` switches thinking off; no effort level does. */
  readonly switches_thinking?: true
  /** Absent if the server takes no thinking back. */
  readonly thinking?: ThinkingField
  /** The models that take their thinking back; undefined for all. */
  readonly thinking_models?: RegExp
  /** Replaces thinking that a client did not send back with tool calls, if the server requires some. */
  readonly missing_thinking?: string
  /** All fields that a message may have; undefined if unknown ones are ignored. */
  readonly message_fields?: ReadonlySet<string>
  readonly takes_developer_role?: true
  /** Gemini's signatures on calls and messages (`extra_content`), without which Gemini 3 refuses a history with calls. */
  readonly takes_signatures?: true
  /** Whether a request may choose among some tools; to other servers, only those tools are offered. */
  readonly takes_allowed_tools?: true
  /** The server accepts no schema for an answer: the schema becomes part of the prompt. */
  readonly lacks_schemas?: true
  /** A user's or system message may not follow tool results. */
  readonly demands_order?: true
  readonly max_name_chars?: number
  readonly call_ids?: CallIdRule
}

/** The accepted ids of tool calls. */
export interface CallIdRule {
  readonly pattern: RegExp
  readonly chars: number
}

/** 40 in threads of 2025, 64 in those of 2026: https://github.com/openclaw/openclaw/pull/875, https://github.com/orchidfiles/ungate/issues/26 */
const SHORT_IDS: CallIdRule = { pattern: /^.{1,40}$/s, chars: 40 }

/** `safety_identifier` is OpenAI's name; all others know `user`: openai resources/chat/completions/completions.d.ts, groq-sdk, xai-sdk. */
const AS_USER = { safety_identifier: 'user' } as const
/** Servers that only know the older name of the limit: api-docs.deepseek.com/api/create-chat-completion, docs.mistral.ai/api. */
const AS_MAX_TOKENS = { max_completion_tokens: 'max_tokens' } as const

/**
 * https://platform.openai.com/docs/api-reference/chat/create: names of 64 characters (openai resources/shared.d.ts FunctionDefinition.name).
 * metadata is only accepted with `store`, which the gateway switches off: https://github.com/spiceai/spiceai/pull/5231. User:
 * https://github.com/maximhq/bifrost/pull/1000, openai resources/chat/completions/completions.d.ts safety_identifier.
 */
const OPENAI: ServerRules = {
  by_generation: true,
  dropped_fields: [{ fields: ['metadata'] }],
  max_chars: { user: 64, safety_identifier: 128 },
  takes_developer_role: true,
  takes_allowed_tools: true,
  max_name_chars: 64,
  call_ids: SHORT_IDS,
}

/** https://docs.x.ai/docs/guides/reasoning, https://github.com/open-webui/open-webui/issues/21266 */
const XAI_REASONING = /^(?!.*non-reasoning)(?!.*grok-(?:2|3(?!-mini)|beta))/
/** One temperature only, since K2.5: https://github.com/NousResearch/hermes-agent/pull/12668, https://github.com/odysseus-dev/odysseus/issues/3959 */
const KIMI_FIXED = /kimi-k(?:2\.[5-9]|[3-9])/

/** By the servers' names in the table of known servers. */
export const RULES: Readonly<Record<string, ServerRules>> = {
  openai: OPENAI,
  /** Older versions of its API only know `user`: https://learn.microsoft.com/azure/ai-foundry/openai/reference */
  azure: { ...OPENAI, renamed: AS_USER },
  foundry: { ...OPENAI, renamed: AS_USER },
  /** The fields that gpt-oss accepts there (everything else as for unknown servers): https://github.com/BerriAI/litellm/issues/13959. */
  bedrock: {
    renamed: AS_USER,
    dropped_fields: [
      {
        fields: [
          'prompt_cache_key',
          'prompt_cache_options',
          'prompt_cache_retention',
          'verbosity',
          'image_config',
          'top_k',
        ],
        models: /gpt-oss/,
      },
    ],
    takes_developer_role: true,
    takes_allowed_tools: true,
    thinking: 'reasoning_content',
    thinking_models: /^(?!.*gpt-)/,
  },
  /** https://openrouter.ai/docs/use-cases/reasoning-tokens#preserving-reasoning-blocks */
  openrouter: {
    renamed: AS_USER,
    max_chars: { user: 128 },
    thinking: 'reasoning_details',
    takes_developer_role: true,
    max_name_chars: 64,
    call_ids: SHORT_IDS,
  },
  /**
   * Fields of messages: https://github.com/janhq/jan/issues/8136, https://github.com/karthink/gptel/issues/774,
   * https://github.com/vercel/ai/pull/8057; fields: groq-sdk resources/chat/completions.d.ts.
   */
  groq: {
    renamed: AS_USER,
    dropped_fields: [
      {
        fields: [
          'safety_identifier',
          'prompt_cache_key',
          'prompt_cache_options',
          'prompt_cache_retention',
          'verbosity',
          'modalities',
          'image_config',
          'prediction',
          'top_k',
        ],
      },
    ],
    /** https://console.groq.com/docs/openai#currently-unsupported-openai-features */
    refused_fields: [{ fields: ['logprobs', 'logit_bias'] }],
    efforts: [
      { models: /gpt-oss/, levels: ['low', 'medium', 'high'] },
      { models: /qwen3/, levels: ['none', 'default'] },
      { levels: [] },
    ],
    thinking: 'reasoning',
    thinking_models: /qwen3|gpt-oss|deepseek-r1|qwq/,
    message_fields: new Set([
      'role',
      'content',
      'name',
      'tool_calls',
      'tool_call_id',
      'function_call',
      'reasoning',
    ]),
    max_name_chars: 64,
    call_ids: SHORT_IDS,
  },
  /**
   * Thinking: https://api-docs.deepseek.com/guides/thinking_mode#tool-calls; an empty text stands for none
   * (https://github.com/theopenco/llmgateway/pull/2093). Role: https://github.com/earendil-works/pi/issues/1048.
   * Names: https://github.com/mrexodia/ida-pro-mcp/issues/129. Schemas: https://github.com/llm-exe/llm-exe/issues/662 (v4-pro),
   * https://github.com/UKGovernmentBEIS/inspect_ai/issues/4916 (v4-flash).
   */
  deepseek: {
    lacks_schemas: true,
    renamed: AS_MAX_TOKENS,
    dropped_fields: [{ fields: ['safety_identifier', 'user', 'store'] }],
    switches_thinking: true,
    thinking: 'reasoning_content',
    missing_thinking: '',
    max_name_chars: 64,
    call_ids: SHORT_IDS,
  },
  /**
   * @mistralai/mistralai 2.7 ChatCompletionRequest; unknown fields: https://github.com/editor-code-assistant/eca/issues/231.
   * Efforts: https://github.com/anomalyco/models.dev/pull/1986, https://github.com/vercel/ai/issues/20587. Ids:
   * https://github.com/nearai/ironclaw/issues/1241. Order: https://github.com/charmbracelet/crush/issues/279.
   */
  mistral: {
    renamed: { ...AS_MAX_TOKENS, seed: 'random_seed' },
    dropped_fields: [
      {
        fields: [
          'safety_identifier',
          'user',
          'store',
          'verbosity',
          'modalities',
          'image_config',
          'prompt_cache_options',
          'prompt_cache_retention',
          'top_k',
        ],
      },
    ],
    refused_fields: [{ fields: ['logprobs', 'logit_bias'] }],
    efforts: [
      {
        models:
          /^(?:magistral-small-latest|mistral-small-(?:latest|26\d\d)|mistral-medium-(?:latest|3|3[.-]5|26\d\d))$/,
        levels: ['none', 'high'],
      },
      { levels: [] },
    ],
    message_fields: new Set(['role', 'content', 'tool_calls', 'prefix', 'tool_call_id', 'name']),
    demands_order: true,
    max_name_chars: 64,
    call_ids: { pattern: /^[a-zA-Z0-9]{9}$/, chars: 9 },
  },
  /** Efforts: https://github.com/NousResearch/hermes-agent/pull/23435, https://github.com/BerriAI/litellm/pull/16265. */
  xai: {
    renamed: AS_USER,
    dropped_fields: [{ fields: ['presence_penalty', 'frequency_penalty'], models: XAI_REASONING }],
    refused_fields: [{ fields: ['stop'], models: XAI_REASONING }],
    efforts: [
      {
        models: /grok-(?:3-mini|4\.20-multi-agent|4\.(?:[3-9]|[1-9]\d)(?!\d))/,
        levels: ['none', 'low', 'medium', 'high'],
      },
      { models: /grok/, levels: [] },
    ],
    max_name_chars: 64,
  },
  /**
   * Thinking: https://github.com/theopenco/llmgateway/pull/2093 (an empty text counts as none, a space does not),
   * https://platform.moonshot.ai/docs/guide/use-kimi-k2-thinking-model.
   */
  moonshot: {
    renamed: AS_MAX_TOKENS,
    dropped_fields: [
      { fields: ['temperature', 'top_p', 'presence_penalty', 'frequency_penalty'], models: KIMI_FIXED },
    ],
    switches_thinking: true,
    thinking: 'reasoning_content',
    missing_thinking: ' ',
    max_name_chars: 64,
    call_ids: SHORT_IDS,
  },
  /**
   * https://docs.together.ai/docs/openai-api-compatibility; thinking: https://github.com/togethercomputer/openapi/pull/132. Limit:
   * together-ai 0.52 resources/chat/completions.d.ts.
   */
  together: { renamed: { ...AS_USER, ...AS_MAX_TOKENS }, thinking: 'reasoning', max_name_chars: 64 },
  /**
   * ollama/ollama openai/openai.go: Message.Reasoning; efforts: https://github.com/ollama/ollama/pull/17141. Limit: it accepts the newer
   * name, but ignores it: https://github.com/ollama/ollama/issues/7125.
   */
  ollama: {
    renamed: AS_MAX_TOKENS,
    efforts: [{ levels: ['none', 'low', 'medium', 'high', 'max'] }],
    thinking: 'reasoning',
  },
  /** It only reads `reasoning`: https://github.com/vllm-project/vllm/issues/38488, https://github.com/vllm-project/vllm/pull/33402. */
  vllm: { thinking: 'reasoning' },
}

/**
 * Unknown servers, Google's among them. Thinking goes back in the field that most servers read, except for models of OpenAI and Google,
 * whose own servers refuse unknown fields. Only requests for Gemini's models have its signatures:
 * https://ai.google.dev/gemini-api/docs/thought-signatures
 */
export const RULES_OF_OTHERS: ServerRules = {
  takes_developer_role: true,
  takes_signatures: true,
  takes_allowed_tools: true,
  thinking: 'reasoning_content',
  thinking_models: /^(?!.*gemini)(?!(?:.*\/)?(?:o\d|gpt-(?!oss)|chatgpt-))/,
}
