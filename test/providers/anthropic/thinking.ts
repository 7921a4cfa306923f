// Rules on thinking, sampling, effort, prefill and late system messages, by the generation of the model where they differ.
import { type JsonObject, listOf, numberOf, objectOf, textOf } from '../json.ts'
import type { Rule, RuleInput } from '../rule.ts'
import { type Message, messagesOf, ofType } from './blocks.ts'
import { type Generation, generationOf } from './generations.ts'
import { placeOf } from './structure.ts'

type Finder = (input: RuleInput, messages: readonly Message[]) => string | undefined

const rule = (name: string, source: string, find: Finder): Rule => ({
  name: `anthropic: ${name}`,
  source,
  find(input) {
    const message = find(input, messagesOf(input.body))
    return message === undefined ? undefined : { status: 400, message }
  },
})

/** A rule for models whose generation is known. */
const ofGeneration = (
  name: string,
  source: string,
  find: (generation: Generation, body: JsonObject, messages: readonly Message[]) => string | undefined,
): Rule =>
  rule(name, source, ({ model, body }, messages) => {
    const generation = generationOf(model)
    return generation && find(generation, body, messages)
  })

const thinkingType = ({ thinking }: JsonObject): string => textOf(objectOf(thinking).type)
const thinks = (body: JsonObject): boolean => ['enabled', 'adaptive'].includes(thinkingType(body))
const isSet = (value: unknown): boolean => value !== undefined && value !== null

const MIN_BUDGET_TOKENS = 1_024

function findBudget({ body }: RuleInput): string | undefined {
  if (thinkingType(body) !== 'enabled') return undefined
  const budget = numberOf(objectOf(body.thinking).budget_tokens)
  if (budget === undefined) return 'thinking.enabled.budget_tokens: Field required'
  if (budget < MIN_BUDGET_TOKENS)
    return `thinking.enabled.budget_tokens: Input should be greater than or equal to ${MIN_BUDGET_TOKENS}`
  return budget >= Number(body.max_tokens)
    ? '`max_tokens` must be greater than `thinking.budget_tokens`. Please consult our documentation at https://docs.claude.com/en/docs/build-with-claude/extended-thinking#max-tokens-and-context-window-size'
    : undefined
}

const findForcedTool = ({ body }: RuleInput): string | undefined =>
  thinks(body) && ['any', 'tool'].includes(textOf(objectOf(body.tool_choice).type))
    ? 'Thinking may not be enabled when tool_choice forces tool use.'
    : undefined

/** A turn that used a tool while thinking must come back with its thinking, and one to be continued must begin with some. */
const findLostThinking: Finder = ({ body }, messages) => {
  const last = messages.findLastIndex(({ role }) => role === 'assistant')
  const blocks = messages[last]?.blocks ?? []
  const first = textOf(blocks[0]?.type)
  const is_open = ofType(blocks, 'tool_use').length > 0 || last === messages.length - 1
  if (thinkingType(body) !== 'enabled' || blocks.length === 0 || !is_open) return undefined
  if (first === 'thinking' || first === 'redacted_thinking') return undefined
  return `${placeOf(last, 0)}.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${first}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks).`
}

const CONSULT =
  'Please consult our documentation at https://platform.claude.com/docs/en/build-with-claude/extended-thinking'

function findSamplingWithThinking({ body }: RuleInput): string | undefined {
  const { temperature, top_p, top_k } = body
  if (!thinks(body)) return undefined
  if (isSet(temperature) && temperature !== 1)
    return `\`temperature\` may only be set to 1 when thinking is enabled or in adaptive mode. ${CONSULT}`
  if (isSet(top_k)) return `\`top_k\` must be unset when thinking is enabled. ${CONSULT}`
  return isSet(top_p) && Number(top_p) < 0.95
    ? `\`top_p\` must be greater than or equal to 0.95 or unset when thinking is enabled. ${CONSULT}`
    : undefined
}

function findSampling({ sampling }: Generation, body: JsonObject): string | undefined {
  if (sampling === 'none') {
    const name = ['temperature', 'top_p', 'top_k'].find((field) => isSet(body[field]))
    return name && `\`${name}\` is deprecated for this model.`
  }
  return sampling === 'not temperature with top_p' && isSet(body.temperature) && isSet(body.top_p)
    ? '`temperature` and `top_p` cannot both be specified for this model. Please use only one.'
    : undefined
}

function findThinkingType({ refuses_thinking }: Generation, body: JsonObject): string | undefined {
  const type = thinkingType(body)
  if (!refuses_thinking.includes(type)) return undefined
  return type === 'adaptive'
    ? 'adaptive thinking is not supported on this model'
    : `"thinking.type.${type}" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.`
}

const HIGHEST_EFFORTS = ['xhigh', 'max']

function findEffortWithoutThinking(
  { caps_effort_without_thinking }: Generation,
  body: JsonObject,
): string | undefined {
  const effort = textOf(objectOf(body.output_config).effort)
  const type = thinkingType(body)
  if (!caps_effort_without_thinking || !['disabled', 'between_tools'].includes(type)) return undefined
  return HIGHEST_EFFORTS.includes(effort)
    ? `output_config.effort '${effort}' is not supported when thinking is disabled on this model. Use effort 'high' or below, or enable thinking.`
    : undefined
}

const findForcedToolByGeneration = (
  { takes_forced_tools }: Generation,
  { tool_choice }: JsonObject,
): string | undefined =>
  !takes_forced_tools && ['any', 'tool'].includes(textOf(objectOf(tool_choice).type))
    ? 'tool_choice: type "tool" and "any" are not supported for this model.'
    : undefined

function findSchema({ takes_schemas }: Generation, body: JsonObject): string | undefined {
  if (takes_schemas) return undefined
  const model = textOf(body.model)
  if (isSet(objectOf(body.output_config).format)) return `'${model}' does not support output format.`
  return listOf(body.tools).some((tool) => objectOf(tool).strict === true)
    ? `'${model}' does not support strict tools.`
    : undefined
}

function findEffort({ efforts }: Generation, body: JsonObject): string | undefined {
  const effort = objectOf(body.output_config).effort
  if (!isSet(effort) || efforts.includes(textOf(effort))) return undefined
  return efforts.length === 0
    ? 'This model does not support the effort parameter.'
    : `This model does not support effort level '${textOf(effort)}'. Supported levels: ${[...efforts].sort().join(', ')}.`
}

/** A turn that waits for the results of tools is unpaired, not a prefill. */
const findPrefill = (
  { takes_prefill }: Generation,
  _body: JsonObject,
  messages: readonly Message[],
): string | undefined =>
  !takes_prefill && messages.at(-1)?.role === 'assistant'
    ? 'This model does not support assistant message prefill. The conversation must end with a user message.'
    : undefined

function findLateSystem(
  { takes_late_system }: Generation,
  _body: JsonObject,
  messages: readonly Message[],
): string | undefined {
  const at = messages.findIndex(({ role }) => role === 'system')
  return takes_late_system || at < 0
    ? undefined
    : `messages.${at}.role: role 'system' is not supported on this model`
}

const EXTENDED_THINKING = 'https://platform.claude.com/docs/en/build-with-claude/extended-thinking'

export const THINKING_RULES: readonly Rule[] = [
  rule('budget of thinking', EXTENDED_THINKING, findBudget),
  rule('thinking with a forced tool', EXTENDED_THINKING, findForcedTool),
  rule(
    'thinking left out',
    `${EXTENDED_THINKING}, https://github.com/Aider-AI/aider/issues/3820`,
    findLostThinking,
  ),
  rule(
    'sampling with thinking',
    'https://github.com/mnfst/modelparams.dev/issues/214, https://github.com/quarkiverse/quarkus-langchain4j/issues/1812, https://github.com/SEMOSS/Semoss/pull/1655',
    findSamplingWithThinking,
  ),
  ofGeneration(
    'sampling by generation',
    'https://github.com/UKGovernmentBEIS/inspect_ai/issues/3721, https://github.com/The-PR-Agent/pr-agent/issues/2456, https://github.com/Vali-98/ChatterUI/issues/564, https://github.com/fwdai/reticle/issues/7',
    findSampling,
  ),
  ofGeneration(
    'type of thinking by generation',
    'https://github.com/srtab/daiv/pull/1429, https://github.com/NousResearch/hermes-agent/pull/11145, https://github.com/elizaOS/eliza/pull/16175, https://platform.claude.com/docs/en/models/opus-5-5/whats-new-opus-5-5, @ai-sdk/anthropic 3.0 getModelCapabilities',
    findThinkingType,
  ),
  ofGeneration(
    'effort without thinking by generation',
    'https://github.com/elgorro/aiquila/issues/410, https://github.com/anthropics/claude-code/issues/82389, https://github.com/anthropics/claude-code/issues/76689',
    findEffortWithoutThinking,
  ),
  ofGeneration(
    'forced tools by generation',
    'https://github.com/can1357/oh-my-pi/issues/12939, https://platform.claude.com/docs/en/models/opus-5-5/whats-new-opus-5-5, https://docs.litellm.ai/blog/claude_fable_5_1',
    findForcedToolByGeneration,
  ),
  ofGeneration(
    'schemas by generation',
    'https://github.com/eigent-ai/eigent/issues/1649, https://platform.claude.com/docs/en/build-with-claude/structured-outputs, @ai-sdk/anthropic 3.0 getModelCapabilities',
    findSchema,
  ),
  ofGeneration(
    'effort by generation',
    'https://github.com/elizaOS/eliza/pull/16175, https://github.com/BerriAI/litellm/pull/27223, https://github.com/envoyproxy/ai-gateway/pull/1988',
    findEffort,
  ),
  ofGeneration(
    'prefill by generation',
    'https://github.com/ericc-ch/copilot-api/pull/261, https://github.com/vybestack/llxprt-code/pull/3695, https://platform.claude.com/docs/en/about-claude/models/migration-guide',
    findPrefill,
  ),
  ofGeneration(
    'system messages by generation',
    'https://docs.rs/gproxy-transform/2.6.1/src/gproxy_transform/transform/common/claude_mid_conv_system.rs.html, https://github.com/langchain-ai/langchainjs/releases/tag/@langchain%2Fanthropic@1.5.13',
    findLateSystem,
  ),
]
