// Adaptation of a responses request to its server and the generation of its model.
import { type FitTarget, type Fitted, JSON_WORD } from '../../fitting.ts'
import { createRenamer, safeName } from '../../tool-names.ts'
import {
  isObject,
  type Json,
  type JsonObject,
  lookUp,
  objectIn,
  objectsIn,
  stringIn,
} from '../../wire/json.ts'
import { type Generation, generationFor, isOpenAiModel, nearestEffort, takesSampling } from '../model.ts'
import { omit, withShortUsers } from '../servers/fitting.ts'
import { RULES, type ServerRules } from '../servers/rules.ts'
import { EFFORTS } from '../thinking-fields.ts'
import { LOGPROBS } from './decode-request.ts'

/** The provider refuses lower limits. https://github.com/vectorize-io/hindsight/issues/58 */
export const MIN_OUTPUT_TOKENS = 16

/** https://github.com/orchidfiles/ungate/issues/26 */
const MAX_CALL_ID_CHARS = 64

/**
 * Adapts a request to its server; returns the same body if nothing has to change. A caller's own request is fitted to the model's
 * generation only for OpenAI's own servers, and keeps its output limit, even if that is too low for the provider.
 */
export function fitRequest(body: JsonObject, target: FitTarget): Fitted {
  const { server, is_translated } = target
  const rules: ServerRules = lookUp(RULES, server) ?? {}
  const renamed_tools = new Map<string, string>()
  const shortened =
    rules.max_name_chars === undefined ? body : withShortNames(body, rules.max_name_chars, renamed_tools)
  if (!is_translated && !rules.by_generation) return { body: shortened, renamed_tools }
  const dropped = new Set<string>()
  const generation = generationFor(target)
  const thinking =
    rules.by_generation && (target.efforts || isOpenAiModel(generation))
      ? fitEffort(shortened, generation, dropped)
      : shortened
  const effort = stringIn(objectIn(thinking.reasoning).effort)
  const samples = takesSampling(generation, effort)
  const sampled = samples ? thinking : omit(thinking, ['temperature', 'top_p'], dropped)
  const short = withShortIds(withShortUsers(sampled, rules))
  const named = rules.by_generation ? withoutReasoningStatus(short) : short
  if (!is_translated) return { body: named, dropped: [...dropped], renamed_tools }
  const lost = rules.by_generation && !samples && asksForLogprobs(named) ? 'top_logprobs' : undefined
  return { body: withLeastLimit(withJsonWord(named)), dropped: [...dropped], renamed_tools, lost }
}

function fitEffort(body: JsonObject, generation: Generation, dropped: Set<string>): JsonObject {
  if (generation.efforts.length === 0) return omit(body, ['reasoning'], dropped)
  const reasoning = objectIn(body.reasoning)
  const requested = stringIn(reasoning.effort)
  if (!isEffort(requested) || generation.efforts.includes(requested)) return body
  const effort = nearestEffort(generation, requested)
  if (effort === undefined) return omit(body, ['reasoning'], dropped)
  return { ...body, reasoning: { ...reasoning, effort } }
}

const isEffort = (word: string | undefined): word is keyof typeof EFFORTS =>
  lookUp(EFFORTS, word) !== undefined

const asksForLogprobs = ({ include, top_logprobs }: JsonObject): boolean =>
  (top_logprobs ?? null) !== null || (Array.isArray(include) && include.includes(LOGPROBS))

/** Changes the items that match; returns the same request if none does. */
function withItems(
  body: JsonObject,
  has: (item: JsonObject) => boolean,
  change: (item: JsonObject) => JsonObject,
): JsonObject {
  const { input } = body
  if (!Array.isArray(input) || !input.some((item) => isObject(item) && has(item))) return body
  return { ...body, input: input.map((item) => (isObject(item) && has(item) ? change(item) : item)) }
}

const hasLongId = ({ call_id }: JsonObject): boolean => (stringIn(call_id)?.length ?? 0) > MAX_CALL_ID_CHARS
const shortenId = (item: JsonObject): JsonObject => ({
  ...item,
  call_id: safeName(String(item.call_id), MAX_CALL_ID_CHARS),
})
const withShortIds = (body: JsonObject): JsonObject => withItems(body, hasLongId, shortenId)

/** OpenAI's servers refuse the status of a reasoning item, which other servers send: https://github.com/BerriAI/litellm/issues/13420 */
const hasReasoningStatus = ({ type, status }: JsonObject): boolean =>
  type === 'reasoning' && status !== undefined
const dropStatus = ({ status: _, ...item }: JsonObject): JsonObject => item
const withoutReasoningStatus = (body: JsonObject): JsonObject =>
  withItems(body, hasReasoningStatus, dropStatus)

const withLeastLimit = (body: JsonObject): JsonObject =>
  Number(body.max_output_tokens ?? MIN_OUTPUT_TOKENS) < MIN_OUTPUT_TOKENS
    ? { ...body, max_output_tokens: MIN_OUTPUT_TOKENS }
    : body

/** https://platform.openai.com/docs/guides/structured-outputs#json-mode */
function withJsonWord(body: JsonObject): JsonObject {
  if (objectIn(objectIn(body.text).format).type !== 'json_object') return body
  const mentions_json = objectsIn(body.input).some(({ content }) =>
    /json/i.test(JSON.stringify(content ?? '')),
  )
  if (mentions_json) return body
  const message: JsonObject = { type: 'message', role: 'developer', content: JSON_WORD }
  return { ...body, input: [message, ...(Array.isArray(body.input) ? body.input : [])] }
}

/** Types of tools, calls and choices with a tool's name. */
const HAVE_NAMES: ReadonlySet<Json | undefined> = new Set([
  'function',
  'custom',
  'function_call',
  'function_call_output',
  'custom_tool_call',
])

/**
 * Shortens names that are too long; returns the same request if none exist.
 * @param renamed receives the caller's names by the names sent
 */
function withShortNames(body: JsonObject, max_chars: number, renamed: Map<string, string>): JsonObject {
  const rename = createRenamer((name) => name.length <= max_chars, max_chars, renamed)
  const each = (list: readonly Json[]): Json[] => list.map((item) => (isObject(item) ? inObject(item) : item))
  /** Namespaces, choices and some items contain tools. */
  function inObject(holder: JsonObject): JsonObject {
    const { type, name, tools } = holder
    const changed = { ...holder }
    if (HAVE_NAMES.has(type) && typeof name === 'string') changed.name = rename(name)
    if (Array.isArray(tools)) changed.tools = each(tools)
    return changed
  }
  const { input, tool_choice } = body
  const short = inObject(body)
  if (Array.isArray(input)) short.input = each(input)
  if (isObject(tool_choice)) short.tool_choice = inObject(tool_choice)
  return renamed.size > 0 ? short : body
}
