// Adaptation of a chat completion request to its server and model.

import { generationName } from '../../canonical/request.ts'
import { type FitTarget, type Fitted, JSON_WORD } from '../../fitting.ts'
import { nearestLevel } from '../../thinking.ts'
import {
  hasItems,
  isObject,
  type Json,
  type JsonObject,
  lookUp,
  objectIn,
  objectsIn,
  stringIn,
} from '../../wire/json.ts'
import { type Generation, generationOf, isOpenAiModel, takesSampling } from '../model.ts'
import { contentText } from '../reasoning.ts'
import { withOwnEffort } from '../thinking-fields.ts'
import { fitMessages } from './fit-messages.ts'
import { fitTools } from './fit-tools.ts'
import { asksFor, type Fitting, omit, withShortUsers } from './fitting.ts'
import { RULES, RULES_OF_OTHERS } from './rules.ts'

type Step = (fitting: Fitting) => JsonObject

const STEPS: readonly Step[] = [
  dropFields,
  renameFields,
  ({ body, rules }) => (rules.by_generation ? withOwnEffort(body) : body),
  ({ body, rules }) => withShortUsers(body, rules),
  fitEffort,
  fitGeneration,
  fitFormat,
  fitMessages,
  fitTools,
]

/**
 * Adapts a request to its server; returns the same body if nothing has to change. A caller's own request for an unknown server is not
 * changed.
 */
export function fitRequest(body: JsonObject, target: FitTarget): Fitted {
  const { server, is_translated, efforts } = target
  const model = generationName(target)
  const rules = lookUp(RULES, server) ?? (is_translated ? RULES_OF_OTHERS : undefined)
  if (!rules) return { body }
  const dropped = new Set<string>()
  const renamed_tools = new Map<string, string>()
  const fitted = STEPS.reduce<JsonObject>(
    (current, step) => step({ body: current, model, efforts, rules, is_translated, dropped, renamed_tools }),
    body,
  )
  const lost = is_translated ? lostField(fitted, { model, rules }) : undefined
  return { body: fitted, dropped: [...dropped], renamed_tools, lost }
}

const fits = ({ models }: { readonly models?: RegExp }, model: string): boolean => models?.test(model) ?? true

/** A requested field that the server refuses, although the answer depends on it. */
function lostField(
  body: JsonObject,
  { model, rules: { refused_fields = [], by_generation } }: Pick<Fitting, 'model' | 'rules'>,
): string | undefined {
  const refused = refused_fields.find((rule) => fits(rule, model))?.fields ?? []
  const names = by_generation ? [...refused, ...lostByGeneration(body, generationOf(model))] : refused
  return names.find((name) => asksFor(body, name))
}

function dropFields({ body, model, rules: { dropped_fields = [] }, dropped }: Fitting): JsonObject {
  const names = dropped_fields.filter((rule) => fits(rule, model)).flatMap(({ fields }) => fields)
  return omit(body, names, dropped)
}

/**
 * Renames fields for the server. If the caller also wrote the server's own name, that value wins, unless it is null: the null would
 * remove the limit that the call is held for.
 */
function renameFields({ body, rules: { renamed = {} } }: Fitting): JsonObject {
  const names = Object.keys(renamed).filter((name) => Object.hasOwn(body, name))
  if (names.length === 0) return body
  const moved = Object.fromEntries(names.map((name) => [renamed[name] ?? name, body[name] ?? null]))
  const left = Object.entries(body).filter(
    ([name, value]) => !names.includes(name) && (value !== null || !Object.hasOwn(moved, name)),
  )
  return { ...moved, ...Object.fromEntries(left) }
}

/** From the lowest to the highest. `default` is Groq's only level beside `none`; `none` replaces no other level. */
const RISING = ['none', 'minimal', 'low', 'medium', 'default', 'high', 'xhigh', 'max']

function fitEffort(fitting: Fitting): JsonObject {
  const { body, model, efforts, rules, dropped } = fitting
  const requested = stringIn(body.reasoning_effort)
  if (requested === undefined || !RISING.includes(requested)) return body
  const { reasoning_effort: _, ...rest } = body
  if (rules.switches_thinking && requested === 'none') return { ...rest, thinking: { type: 'disabled' } }
  const { levels } = efforts
    ? { levels: efforts }
    : (rules.efforts?.find((rule) => fits(rule, model)) ?? generationLevels(fitting, requested))
  if (!levels || levels.includes(requested)) return body
  const thinking_levels = levels.filter((level) => level !== 'none')
  const level = nearestLevel(RISING, thinking_levels, requested)
  if (level === undefined) {
    dropped.add('reasoning_effort')
    return rest
  }
  return { ...body, reasoning_effort: level }
}

/** The levels of a model without a row in the rules. Models of unknown generations may know higher efforts, so only low ones are checked. */
function generationLevels(
  { model, rules }: Fitting,
  requested: string,
): { readonly levels?: readonly string[] } {
  const generation = generationOf(model)
  const { efforts } = generation
  if (rules.by_generation && isOpenAiModel(generation)) return { levels: efforts }
  return (requested === 'none' || requested === 'minimal') && efforts.length > 0 ? { levels: efforts } : {}
}

/** https://platform.openai.com/docs/guides/structured-outputs#json-mode, https://github.com/browserbase/stagehand/issues/1204 */
function fitFormat({ body, rules, is_translated, dropped }: Fitting): JsonObject {
  const { type, json_schema } = objectIn(body.response_format)
  if (type === 'json_schema' && rules.lacks_schemas) {
    dropped.add('response_format')
    const { schema } = objectIn(json_schema)
    return { ...withInstruction(body, schemaInstruction(schema)), response_format: { type: 'json_object' } }
  }
  const lacks_word = type === 'json_object' && is_translated && !objectsIn(body.messages).some(mentionsJson)
  return lacks_word ? withInstruction(body, JSON_WORD) : body
}

const schemaInstruction = (schema: Json | undefined): string =>
  isObject(schema) ? `${JSON_WORD} It matches this JSON schema: ${JSON.stringify(schema)}` : JSON_WORD

const mentionsJson = ({ content }: JsonObject): boolean => /json/i.test(contentText(content))

/** Inserts a system message after the system prompt, which stays the beginning for the provider's cache. */
function withInstruction(body: JsonObject, content: string): JsonObject {
  const messages = Array.isArray(body.messages) ? body.messages : []
  const begins = messages.findIndex((message) => !isSystem(message))
  const at = begins < 0 ? messages.length : begins
  return { ...body, messages: messages.toSpliced(at, 0, { role: 'system', content }) }
}

const isSystem = (message: Json): boolean =>
  isObject(message) && ['system', 'developer'].includes(stringIn(message.role) ?? '')

/** Without these fields, the model answers the same question in other words. */
const SAMPLING = ['temperature', 'top_p', 'presence_penalty', 'frequency_penalty'] as const
/** Without these fields, an answer lacks what the caller requested. */
const PROBABILITIES = ['logprobs', 'top_logprobs', 'logit_bias'] as const

const effortIn = ({ reasoning_effort }: JsonObject): string | undefined => stringIn(reasoning_effort)

/** OpenAI's own servers refuse fields that a generation lacks. For other servers, translation drops and reports sampling fields. */
function fitGeneration(fitting: Fitting): JsonObject {
  const { model, rules, is_translated, dropped } = fitting
  const generation = generationOf(model)
  if (!generation.reasons || !(rules.by_generation || is_translated)) return fitting.body
  const body = rules.by_generation ? withKnownLimit(unreasoned(fitting, generation)) : fitting.body
  const refused: string[] = takesSampling(generation, effortIn(body)) ? [] : [...SAMPLING]
  if (!generation.takes_parallel_tool_calls) refused.push('parallel_tool_calls')
  return omit(body, refused, dropped)
}

/** Fields that the generation refuses, although the answer depends on them. */
function lostByGeneration(body: JsonObject, generation: Generation): readonly string[] {
  const stop = generation.takes_stop ? [] : ['stop']
  return takesSampling(generation, effortIn(body)) ? stop : [...stop, ...PROBABILITIES]
}

/** Writes a limit under its other name. If both are set, the server refuses one. */
function withKnownLimit(body: JsonObject): JsonObject {
  const { max_tokens, ...rest } = body
  if (max_tokens === undefined || (body.max_completion_tokens ?? null) !== null) return body
  return { ...rest, max_completion_tokens: max_tokens }
}

/** Switches reasoning off in requests with tools, for models that combine the two only in responses. */
function unreasoned({ body, dropped }: Fitting, { chat_lacks, default_effort }: Generation): JsonObject {
  const effort = effortIn(body) ?? default_effort
  if (chat_lacks !== 'reasoning_with_tools' || effort === 'none' || !hasItems(body.tools)) return body
  dropped.add('reasoning_effort')
  return { ...body, reasoning_effort: 'none' }
}
