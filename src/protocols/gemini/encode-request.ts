// Encoding of a canonical request as a native one.
// https://ai.google.dev/api/generate-content#request-body

import type { EffortName } from '../../domain/catalogue.ts'
import type { Effort, Thinking, ToolChoice, ToolDefinition } from '../canonical/fields.ts'
import { type ConversationRequest, generationName, type TargetModel } from '../canonical/request.ts'
import { rejectLostImages, rejectUnsupported } from '../carries.ts'
import { budgetWithin, effortOf, nearestLevel } from '../thinking.ts'
import type { NameRule } from '../tool-names.ts'
import { compact, type Json, type JsonObject } from '../wire/json.ts'
import { carries } from './carries.ts'
import { encodeContents } from './encode-contents.ts'
import { type Generation, generationOf, type Level, type Thinks } from './model.ts'
import { toGeminiSchema } from './schema.ts'

/** https://ai.google.dev/api/caching#FunctionDeclaration */
export const TOOL_NAMES: NameRule = { pattern: /^[a-zA-Z_][\w.:-]{0,127}$/, max_chars: 128 }

/**
 * Encodes a request for a provider of the native protocol. The address names the model and whether to stream.
 * @throws GatewayError invalid_request for content that the native protocol cannot express
 */
export function encodeRequest(request: ConversationRequest, target: TargetModel): JsonObject {
  rejectUnsupported(request, carries)
  const generation = generationOf(generationName(target))
  if (generation.answers_images && request.images !== false) rejectLostImages(request.from)
  const config = encodeConfig(request, target)
  return compact({
    systemInstruction:
      request.system.length > 0 ? { parts: request.system.map((text) => ({ text })) } : undefined,
    contents: encodeContents(request.turns, generation),
    ...encodeTools(request),
    generationConfig: Object.keys(config).length > 0 ? config : undefined,
  })
}

const encodeConfig = (request: ConversationRequest, target: TargetModel): JsonObject =>
  compact({
    maxOutputTokens: request.max_output_tokens,
    temperature: request.temperature,
    topP: request.top_p,
    topK: request.top_k,
    stopSequences: request.stop.length > 0 ? [...request.stop] : undefined,
    seed: request.seed,
    candidateCount: request.candidates,
    thinkingConfig: encodeThinking(request, generationOf(generationName(target)), target.efforts),
    ...encodeOutput(request),
    ...encodeImages(request, target),
    ...encodeLogprobs(request),
    frequencyPenalty: request.frequency_penalty,
    presencePenalty: request.presence_penalty,
  })

function encodeOutput({ output }: ConversationRequest): JsonObject {
  if (!output) return {}
  const responseMimeType = 'application/json'
  if (output.kind === 'json') return { responseMimeType }
  return { responseMimeType, responseJsonSchema: toGeminiSchema(output.schema) }
}

/** Text alone is the default of most models, so it is not sent for them: some servers do not know the field. */
function encodeImages({ images }: ConversationRequest, target: TargetModel): JsonObject {
  if (!images) return images === false && generationOf(generationName(target)).answers_images ? TEXT_ONLY : {}
  const imageConfig = compact({ aspectRatio: images.aspect_ratio, imageSize: images.size })
  return compact({
    responseModalities: images.with_text ? ['TEXT', 'IMAGE'] : ['IMAGE'],
    imageConfig: Object.keys(imageConfig).length > 0 ? imageConfig : undefined,
  })
}

const TEXT_ONLY: JsonObject = { responseModalities: ['TEXT'] }

/** The provider refuses a count of 0 alternatives, so it is left out. */
const encodeLogprobs = ({ logprobs }: ConversationRequest): JsonObject =>
  logprobs === undefined ? {} : compact({ responseLogprobs: true, logprobs: logprobs || undefined })

/** The fields for tools. Without tools, the choice among them is left out. */
function encodeTools(request: ConversationRequest): Record<string, Json | undefined> {
  if (request.tools.length === 0) return {}
  return {
    tools: [{ functionDeclarations: request.tools.map(encodeTool) }],
    toolConfig: request.tool_choice && {
      functionCallingConfig: encodeChoice(request.tool_choice),
    },
  }
}

const encodeTool = ({ name, description, parameters }: ToolDefinition): JsonObject =>
  compact({ name, description, parametersJsonSchema: parameters && toGeminiSchema(parameters) })

const MODES = { auto: 'AUTO', any: 'ANY', none: 'NONE' } as const

/** VALIDATED is AUTO among the allowed names. */
function encodeChoice(choice: ToolChoice): JsonObject {
  if (choice.mode !== 'named') return { mode: MODES[choice.mode] }
  return { mode: choice.required ? 'ANY' : 'VALIDATED', allowedFunctionNames: [...choice.names] }
}

/** thinkingConfig; undefined if nothing is set, or the model does not think. */
function encodeThinking(
  request: ConversationRequest,
  { thinks }: Pick<Generation, 'thinks'>,
  efforts?: readonly EffortName[],
): JsonObject | undefined {
  if (thinks.by === 'nothing') return undefined
  const { thinking, shows_thinking, max_output_tokens } = request
  const config = compact({
    ...(thinking ? encodeRequested(thinking, withEfforts(thinks, efforts), max_output_tokens) : {}),
    includeThoughts: shows_thinking,
  })
  return Object.keys(config).length > 0 ? config : undefined
}

type Thinker = Exclude<Thinks, { by: 'nothing' }>

const encodeRequested = (
  thinking: Thinking,
  thinks: Thinker,
  max_output_tokens: number | undefined,
): JsonObject =>
  thinks.by === 'level'
    ? encodeLevel(thinking, thinks.levels)
    : { thinkingBudget: clampBudget(budgetWithin(thinking, max_output_tokens), thinks) }

const DYNAMIC = -1

/** Clamps a budget to the provider's bounds. The minimum replaces 0 if the model cannot switch thinking off. */
function clampBudget(
  budget: number | undefined,
  { min, max, takes_none }: Extract<Thinks, { by: 'budget' }>,
): number {
  if (budget === undefined) return DYNAMIC
  return budget === 0 && takes_none ? 0 : Math.min(Math.max(budget, min), max)
}

const LEVELS: Readonly<Record<Effort, Level>> = {
  minimal: 'MINIMAL',
  low: 'LOW',
  medium: 'MEDIUM',
  high: 'HIGH',
  xhigh: 'HIGH',
  max: 'HIGH',
}
/** Restricts the levels to the efforts in the catalogue. Budgets are not restricted. */
function withEfforts(thinks: Thinker, efforts: readonly EffortName[] | undefined): Thinker {
  if (thinks.by !== 'level' || !efforts) return thinks
  const levels = efforts.flatMap((effort) => (effort === 'none' ? [] : LEVELS[effort]))
  return { by: 'level', levels: [...new Set(levels)] }
}

const RISING: readonly Level[] = ['MINIMAL', 'LOW', 'MEDIUM', 'HIGH']

/** No level turns thinking off, so the lowest one stands for that. */
function encodeLevel(thinking: Thinking, levels: readonly Level[]): JsonObject {
  const effort = thinking.mode === 'off' ? 'minimal' : effortOf(thinking)
  return effort === undefined ? {} : compact({ thinkingLevel: nearestLevel(RISING, levels, LEVELS[effort]) })
}
