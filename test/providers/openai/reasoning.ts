// Rules of OpenAI's own servers by the generation of the model: limits, efforts, sampling, reasoning together with tools.
import { type Refusal, refusal } from '../dialect.ts'
import { listOf, textOf } from '../json.ts'
import { firstOf, type Rule, type RuleInput } from '../rule.ts'
import { type Generation, generationOf } from './generations.ts'

/** A rule for models whose generation is known. */
const rule = (
  name: string,
  source: string,
  find: (generation: Generation, input: RuleInput) => Refusal | undefined,
): Rule => ({
  name: `openai: ${name}`,
  source,
  find(input) {
    const generation = generationOf(input.model)
    return generation && find(generation, input)
  },
})

const isSet = (value: unknown): boolean => value !== undefined && value !== null

const unsupported = (field: string): Refusal =>
  refusal(
    field,
    `Unsupported parameter: '${field}' is not supported with this model.`,
    'unsupported_parameter',
  )

/** The effort of a request; `none` without reasoning. */
const effortOf = (generation: Generation, { body }: RuleInput): string =>
  textOf(body.reasoning_effort) || generation.default_effort

const reasons = (generation: Generation): boolean => generation.efforts.length > 0

/** `'a', 'b', and 'c'`. */
const listed = (words: readonly string[]): string => {
  const quoted = words.map((word) => `'${word}'`)
  if (quoted.length < 2) return quoted.join('')
  return `${quoted.slice(0, -1).join(', ')}, and ${quoted.at(-1)}`
}

function findEffort({ efforts }: Generation, { body }: RuleInput): Refusal | undefined {
  const effort = textOf(body.reasoning_effort)
  if (!isSet(body.reasoning_effort) || efforts.includes(effort)) return undefined
  if (efforts.length === 0)
    return { status: 400, message: 'Unrecognized request argument supplied: reasoning_effort' }
  return refusal(
    'reasoning_effort',
    `Unsupported value: 'reasoning_effort' does not support '${effort}' with this model. Supported values are: ${listed(efforts)}.`,
    'unsupported_value',
  )
}

/** Refused with any value; temperature may have its default. */
const SAMPLING = ['top_p', 'presence_penalty', 'frequency_penalty', 'logprobs', 'top_logprobs', 'logit_bias']

function findSampling(generation: Generation, input: RuleInput): Refusal | undefined {
  const { body } = input
  const { sampling } = generation
  if (sampling === 'always') return undefined
  if (sampling === 'without reasoning' && effortOf(generation, input) === 'none') return undefined
  if (isSet(body.temperature) && body.temperature !== 1)
    return refusal(
      'temperature',
      `Unsupported value: 'temperature' does not support ${body.temperature} with this model. Only the default (1) value is supported.`,
      'unsupported_value',
    )
  return firstOf(SAMPLING, (field) =>
    isSet(body[field]) && body[field] !== false ? unsupported(field) : undefined,
  )
}

function findToolsAndReasoning(generation: Generation, input: RuleInput): Refusal | undefined {
  const { model, body } = input
  if (generation.reasons_with_tools || listOf(body.tools).length === 0) return undefined
  if (effortOf(generation, input) === 'none') return undefined
  return refusal(
    'reasoning_effort',
    `Function tools with reasoning_effort are not supported for ${model} in /v1/chat/completions. ${generation.tools_advice}`,
  )
}

export const GENERATION_RULES: readonly Rule[] = [
  rule(
    'max_tokens of reasoning models',
    'https://github.com/griptape-ai/ComfyUI-Griptape/issues/312, https://github.com/koosoli/ESPHomeDesigner/issues/379',
    (generation, { body }) =>
      reasons(generation) && isSet(body.max_tokens)
        ? refusal(
            'max_tokens',
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
            'unsupported_parameter',
          )
        : undefined,
  ),
  rule(
    'reasoning_effort by generation',
    'https://github.com/immersive-translate/immersive-translate/issues/3529, https://github.com/generative-computing/mellea/issues/270, https://platform.openai.com/docs/guides/reasoning',
    findEffort,
  ),
  rule(
    'sampling by generation',
    'https://github.com/tmc/langchaingo/issues/1355, https://github.com/johny-b/llmcomp/issues/69, https://github.com/appatalks/eva-agent/issues/83, https://platform.openai.com/docs/guides/latest-model#gpt-5-1-parameter-compatibility',
    findSampling,
  ),
  rule(
    'stop by generation',
    'https://github.com/crewAIInc/crewAI/issues/2738, https://github.com/BittnerPierre/AI-Agent-Casebook/issues/133, https://github.com/BerriAI/litellm/pull/28650',
    ({ takes_stop }, { body }) => (takes_stop || !isSet(body.stop) ? undefined : unsupported('stop')),
  ),
  rule(
    'parallel_tool_calls by generation',
    'https://github.com/evalstate/fast-agent/issues/279, https://github.com/run-llama/llama_index/issues/20865',
    ({ takes_parallel_tool_calls }, { body }) =>
      takes_parallel_tool_calls || !isSet(body.parallel_tool_calls)
        ? undefined
        : unsupported('parallel_tool_calls'),
  ),
  rule(
    'models of the Responses API only',
    'https://github.com/alvinunreal/tmuxai/issues/82, https://github.com/arbs-io/vscode-openai/issues/358, https://github.com/promptfoo/promptfoo/pull/6539',
    ({ in_chat }) =>
      in_chat
        ? undefined
        : {
            status: 404,
            message: 'This model is only supported in v1/responses and not in v1/chat/completions.',
            field: 'model',
            code: null,
          },
  ),
  rule(
    'reasoning with function tools',
    'https://github.com/pipecat-ai/pipecat/issues/4043, https://github.com/GEMISIS/leviath/issues/333, https://github.com/BerriAI/litellm/pull/34569, https://github.com/livekit/agents/pull/5088',
    findToolsAndReasoning,
  ),
]

/** Models of unknown generations think unless the request turns it off. */
export function thinks(input: RuleInput): boolean {
  const generation = generationOf(input.model)
  return (generation ? effortOf(generation, input) : input.body.reasoning_effort) !== 'none'
}
