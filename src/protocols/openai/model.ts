// The differences between models behind chat completions, decided by their names.
import { EFFORTS, type EffortName } from '../../domain/catalogue.ts'
import { generationName, type NamedModel } from '../canonical/request.ts'
import { nearestLevel } from '../thinking.ts'

export interface Generation {
  /** OpenAI's reasoning models refuse `max_tokens`; servers such as Ollama only know that. */
  readonly limit_field: 'max_completion_tokens' | 'max_tokens'
  /** The model is one of OpenAI's reasoning models, which refuse fields that other models accept. */
  readonly reasons: boolean
  /** The requests that may set temperature, top_p, penalties and log probabilities; `unreasoned`: only those with the effort `none`. */
  readonly sampling: 'always' | 'unreasoned' | 'never'
  readonly takes_stop: boolean
  readonly takes_parallel_tool_calls: boolean
  /** The accepted values of reasoning_effort, rising; empty if the field is refused. */
  readonly efforts: readonly EffortName[]
  /** The effort of a request that sets none. */
  readonly default_effort: EffortName
  /**
   * The features of responses that the model's chat completions lack: reasoning in a form that can be sent back; also reasoning in requests
   * with tools; or the model altogether.
   */
  readonly chat_lacks: 'nothing' | 'reasoning' | 'reasoning_with_tools' | 'model'
  /** The model is one of Gemini's behind Google's OpenAI-compatible endpoint, which takes signatures back. */
  readonly takes_signatures: boolean
}

interface Row extends Generation {
  readonly names: RegExp
}

/**
 * https://platform.openai.com/docs/guides/reasoning. Limit: https://github.com/griptape-ai/ComfyUI-Griptape/issues/312.
 * Sampling: https://github.com/tmc/langchaingo/issues/1355; without reasoning:
 * https://platform.openai.com/docs/guides/latest-model#gpt-5-1-parameter-compatibility. Stop:
 * https://github.com/huggingface/smolagents/issues/1671 (5), https://github.com/crewAIInc/crewAI/issues/4149 (5.1).
 */
const REASONING = {
  limit_field: 'max_completion_tokens',
  reasons: true,
  sampling: 'never',
  takes_stop: false,
  takes_parallel_tool_calls: true,
  takes_signatures: false,
  default_effort: 'medium',
} as const

const PLAIN = {
  limit_field: 'max_completion_tokens',
  reasons: false,
  sampling: 'always',
  takes_stop: true,
  takes_parallel_tool_calls: true,
  takes_signatures: false,
  efforts: [],
  default_effort: 'none',
  chat_lacks: 'nothing',
} as const

/** A name alone, behind a router (`openai/gpt-5`) or of a cloud (`openai.gpt-5.6`). */
const named = (names: RegExp): RegExp => new RegExp(`(?:^|[/.])(?:${names.source})`)

const reasoning = (
  names: RegExp,
  efforts: Row['efforts'],
  chat_lacks: Row['chat_lacks'],
  more: Partial<Generation> = {},
): Row => ({ ...REASONING, names: named(names), efforts, chat_lacks, ...more })

const LOW_TO_HIGH = ['low', 'medium', 'high'] as const
const LOW_TO_XHIGH = [...LOW_TO_HIGH, 'xhigh'] as const

/** OpenAI's own models. The first row whose pattern matches a name applies. */
const ROWS: readonly Row[] = [
  /** Efforts: https://github.com/anomalyco/opencode/pull/26273. Endpoint: https://platform.openai.com/docs/models/o3-deep-research */
  reasoning(/o\d-[\w-]*deep-research/, ['medium'], 'model'),
  /** Efforts: https://github.com/anomalyco/opencode/pull/26273. Endpoint: https://github.com/HeyPuter/puter/issues/1303 */
  reasoning(/o\d-pro/, LOW_TO_HIGH, 'model'),
  /**
   * Efforts: https://github.com/anomalyco/opencode/pull/26273. parallel_tool_calls:
   * https://github.com/evalstate/fast-agent/issues/279, https://github.com/run-llama/llama_index/issues/20865.
   */
  reasoning(/o\d/, LOW_TO_HIGH, 'reasoning', { takes_parallel_tool_calls: false }),
  /** https://github.com/anomalyco/models.dev/pull/331, https://platform.openai.com/docs/models/gpt-5-pro */
  reasoning(/gpt-5-pro/, ['high'], 'model', { default_effort: 'high' }),
  /** Efforts: https://github.com/tontinton/maki/pull/851, https://github.com/vercel/ai/pull/11056 */
  reasoning(/gpt-(?:5\.1-codex-max|(?:5\.[2-9]|[6-9][\d.]*)-codex)/, LOW_TO_XHIGH, 'model'),
  /** Efforts: https://github.com/openai/codex/issues/6647. Endpoint: https://github.com/CopilotC-Nvim/CopilotChat.nvim/issues/1442 */
  reasoning(/gpt-[\d.]+-codex|codex-/, LOW_TO_HIGH, 'model'),
  /** Without reasoning: https://github.com/langchain-ai/langchain/pull/32624, https://github.com/Laisky/one-api/issues/120 */
  { ...PLAIN, names: named(/gpt-5-chat/) },
  /** https://github.com/Laisky/one-api/issues/285; sampling: vercel/ai packages/openai/src/openai-language-model-capabilities.ts */
  reasoning(/gpt-[\d.]+-chat/, ['medium'], 'nothing'),
  /** Efforts: https://github.com/microsoft/vscode/issues/301045, https://github.com/anomalyco/opencode/pull/26268 */
  reasoning(/gpt-5(?![.\d])/, ['minimal', ...LOW_TO_HIGH], 'reasoning'),
  /** Efforts: https://developers.openai.com/api/docs/models/gpt-5.4-pro. Endpoint: https://github.com/HeyPuter/puter/issues/1303 */
  reasoning(/gpt-[\d.]+-pro/, ['medium', 'high', 'xhigh'], 'model'),
  /** Efforts and default: https://github.com/anomalyco/opencode/issues/4451, https://github.com/livekit/agents/pull/3966 */
  reasoning(/gpt-5\.1(?!\d)/, ['none', ...LOW_TO_HIGH], 'reasoning', {
    sampling: 'unreasoned',
    default_effort: 'none',
  }),
  /**
   * Efforts and default: https://developers.openai.com/api/docs/models/gpt-5.4. Sampling: https://github.com/tmc/langchaingo/issues/1497.
   * Tools: https://github.com/livekit/agents/pull/5088 (5.2), https://github.com/openai/openai-openapi/issues/541 (5.4).
   */
  reasoning(/gpt-5\.[2-4](?!\d)/, ['none', ...LOW_TO_XHIGH], 'reasoning_with_tools', {
    sampling: 'unreasoned',
    default_effort: 'none',
  }),
  /**
   * Efforts: https://github.com/anomalyco/opencode/pull/26268. Stop: https://github.com/BerriAI/litellm/pull/28650. Tools:
   * https://github.com/jeffdafoe/llm-memory-api/pull/178.
   */
  reasoning(/gpt-5\.5(?!\d)/, ['none', ...LOW_TO_XHIGH], 'reasoning_with_tools', {
    sampling: 'unreasoned',
    takes_stop: true,
  }),
  /**
   * Also for all later models. Efforts: https://github.com/anomalyco/opencode/issues/36141. Tools:
   * https://github.com/BerriAI/litellm/pull/34569 (5.6), https://github.com/can1357/oh-my-pi/issues/11052 (6).
   */
  reasoning(/gpt-(?:5\.|[6-9])/, ['none', ...LOW_TO_XHIGH, 'max'], 'reasoning_with_tools', {
    sampling: 'unreasoned',
    takes_stop: true,
  }),
  /** https://platform.openai.com/docs/api-reference/chat/create; efforts: https://github.com/generative-computing/mellea/issues/270 */
  { ...PLAIN, names: named(/gpt-[34]|chatgpt-/) },
]

/** All other servers and models. */
const OTHERS = { ...PLAIN, limit_field: 'max_tokens', efforts: ['none', 'low', 'medium', 'high'] } as const

export const generationOf = (model: string): Generation =>
  ROWS.find(({ names }) => names.test(model)) ?? { ...OTHERS, takes_signatures: model.includes('gemini') }

/** The generation of a model, with the catalogue's efforts if it has any. */
export function generationFor(target: NamedModel): Generation {
  const generation = generationOf(generationName(target))
  return target.efforts ? { ...generation, efforts: target.efforts } : generation
}

/** Whether a model is one of OpenAI's, so that its row decides the accepted efforts. */
export const isOpenAiModel = ({ limit_field }: Generation): boolean => limit_field === PLAIN.limit_field

/** Whether a model accepts temperature and the like. @param effort of the request; undefined if it sets none */
export const takesSampling = (
  { sampling, default_effort }: Generation,
  effort: string | undefined,
): boolean => sampling === 'always' || (sampling === 'unreasoned' && (effort ?? default_effort) === 'none')

/** The accepted effort nearest to the requested one. `none` only stands for `none`; undefined if no other effort is accepted. */
export function nearestEffort({ efforts }: Generation, requested: EffortName): EffortName | undefined {
  if (efforts.includes(requested)) return requested
  return nearestLevel(
    EFFORTS,
    efforts.filter((effort) => effort !== 'none'),
    requested,
  )
}
