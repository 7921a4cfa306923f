// Adaptation of a translated messages request to the generation of its model.

import { generationName } from '../canonical/request.ts'
import { BEGIN, CALL_A_TOOL, CONTINUE, type FitTarget, type Fitted, jsonOfSchema } from '../fitting.ts'
import { isObject, type Json, type JsonObject, objectIn, objectsIn, stringIn } from '../wire/json.ts'
import { type Generation, generationOf } from './model.ts'

interface Fitting {
  readonly body: JsonObject
  readonly generation: Generation
  /** Receives the names of left-out fields. */
  readonly dropped: string[]
}

type Step = (fitting: Fitting) => JsonObject

const STEPS: readonly Step[] = [fitSchema, fitStrictTools, fitToolChoice, fitBeginning, fitEnd]

/** Adapts a request to its model; returns the same body if nothing has to change, or if the caller's own request passes through. */
export function fitRequest(body: JsonObject, target: FitTarget): Fitted {
  if (!target.is_translated) return { body }
  const generation = generationOf(generationName(target))
  const dropped: string[] = []
  const fitted = STEPS.reduce((current, step) => step({ body: current, generation, dropped }), body)
  return { body: fitted, dropped, asks_json: dropped.includes(FORMAT) }
}

/** Appends a text to the system prompt, after its cache marks. */
const withSystemText = (body: JsonObject, text: string): JsonObject => {
  const { system } = body
  const before = typeof system === 'string' ? [{ type: 'text', text: system }] : objectsIn(system)
  return { ...body, system: before.length === 0 ? text : [...before, { type: 'text', text }] }
}

const without = (object: JsonObject, name: string): JsonObject => {
  const { [name]: _, ...rest } = object
  return rest
}

const FORMAT = 'output_config.format'

function fitSchema({ body, generation, dropped }: Fitting): JsonObject {
  const config = objectIn(body.output_config)
  if (generation.takes_schemas || !isObject(config.format)) return body
  dropped.push(FORMAT)
  const left = without(config, 'format')
  const rest =
    Object.keys(left).length > 0 ? { ...body, output_config: left } : without(body, 'output_config')
  return withSystemText(rest, jsonOfSchema(config.format.schema ?? {}))
}

function fitStrictTools({ body, generation, dropped }: Fitting): JsonObject {
  const tools = objectsIn(body.tools)
  if (generation.takes_schemas || !tools.some(({ strict }) => strict === true)) return body
  dropped.push('strict')
  return { ...body, tools: tools.map((tool) => without(tool, 'strict')) }
}

/** Anthropic advises to ask for the call in the prompt, for models that cannot be forced to call a tool. */
function fitToolChoice({ body, generation, dropped }: Fitting): JsonObject {
  const choice = objectIn(body.tool_choice)
  if (generation.takes_forced_tools || (choice.type !== 'any' && choice.type !== 'tool')) return body
  dropped.push('tool_choice')
  return withSystemText({ ...body, tool_choice: { ...without(choice, 'name'), type: 'auto' } }, CALL_A_TOOL)
}

const userMessage = (text: string): JsonObject => ({ role: 'user', content: [{ type: 'text', text }] })

/** The conversation must begin with a user message: https://platform.claude.com/docs/en/api/messages */
function fitBeginning({ body }: Fitting): JsonObject {
  const messages = objectsIn(body.messages)
  return messages[0]?.role === 'user' ? body : { ...body, messages: [userMessage(BEGIN), ...messages] }
}

/**
 * Fits a conversation that ends with an answer for the model to continue. If the model cannot do that, a user message asks for it;
 * otherwise the answer loses trailing blanks, which are refused.
 * https://platform.claude.com/docs/en/build-with-claude/structured-outputs#feature-compatibility (not with a schema),
 * https://github.com/Aider-AI/aider/issues/3820 (not with thinking), https://github.com/tailcallhq/forgecode/issues/1872 (blanks)
 */
function fitEnd({ body, generation }: Fitting): JsonObject {
  const messages = objectsIn(body.messages)
  const last = messages.at(-1)
  const blocks = objectsIn(last?.content)
  const block = blocks.at(-1)
  if (last?.role !== 'assistant' || block?.type === 'tool_use') return body
  if (!generation.takes_prefill || thinks(body.thinking) || isObject(objectIn(body.output_config).format))
    return { ...body, messages: [...messages, userMessage(CONTINUE)] }
  if (block?.type !== 'text') return body
  const trimmed = { ...block, text: (stringIn(block.text) ?? '').trimEnd() }
  return {
    ...body,
    messages: [...messages.slice(0, -1), { ...last, content: [...blocks.slice(0, -1), trimmed] }],
  }
}

const thinks = (thinking: Json | undefined): boolean =>
  ['enabled', 'adaptive'].includes(stringIn(objectIn(thinking).type) ?? '')
