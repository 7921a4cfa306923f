// Decoding of a native request into the canonical form.
// https://ai.google.dev/api/generate-content#request-body
import type { Static } from '@sinclair/typebox'
import type { Effort, ImageOutput, OutputFormat, Thinking } from '../canonical/fields.ts'
import { mergeTurns } from '../canonical/parts.ts'
import type { ConversationRequest } from '../canonical/request.ts'
import { rejectUncarried } from '../carries.ts'
import {
  Anything,
  Choice,
  Count,
  Fields,
  Flag,
  List,
  namesOf,
  OpenObject,
  optional,
  type Present,
  Quantity,
  readPresent,
  Text,
} from '../forms.ts'
import { type JsonObject, oneOf, refusal } from '../wire/json.ts'
import { carries } from './carries.ts'
import { decodeContents, decodeSystem } from './decode-contents.ts'
import { decodeTool, decodeToolChoice } from './decode-tools.ts'
import { fromGeminiSchema } from './schema.ts'
import { camelCased, readCamelCased } from './spellings.ts'

const MIME_TYPES = { 'text/plain': 'text', 'application/json': 'json' } as const

// Nested objects have their own forms, because each may use either spelling.
const ThinkingConfig = Fields({
  thinkingBudget: optional(Quantity),
  thinkingLevel: optional(Text),
  includeThoughts: optional(Flag),
})
const ImageConfig = Fields({ aspectRatio: optional(Text), imageSize: optional(Text) })
export const GenerationConfig = Fields({
  maxOutputTokens: optional(Count),
  temperature: optional(Quantity),
  topP: optional(Quantity),
  topK: optional(Count),
  stopSequences: optional(List(Text)),
  seed: optional(Quantity),
  candidateCount: optional(Count),
  thinkingConfig: optional(OpenObject),
  responseMimeType: optional(Choice(MIME_TYPES)),
  /** In the provider's own schema format. */
  responseSchema: optional(OpenObject),
  responseJsonSchema: optional(OpenObject),
  responseModalities: optional(List(Text)),
  imageConfig: optional(OpenObject),
  responseLogprobs: optional(Flag),
  logprobs: optional(Count),
  frequencyPenalty: optional(Quantity),
  presencePenalty: optional(Quantity),
})
/** Every name may also be written in snake_case. */
export const GenerateContentRequest = Fields({
  contents: List(OpenObject),
  /** A content, or one text. */
  systemInstruction: Anything,
  tools: optional(List(OpenObject)),
  toolConfig: optional(OpenObject),
  generationConfig: optional(OpenObject),
})

type Config = Present<Static<typeof GenerationConfig>>

const CONFIG = 'generationConfig'
const KNOWN = namesOf(GenerateContentRequest)
const CONFIG_KNOWN = namesOf(GenerationConfig)
const IMAGE_KNOWN = namesOf(ImageConfig)

/**
 * Decodes a native request.
 * @param streams whether the address requests a stream: the body has no field for it
 * @throws GatewayError invalid_request for a malformed request, or one that cannot be translated
 */
export function decodeRequest(raw: JsonObject, streams: boolean): ConversationRequest {
  const body = camelCased(raw, '')
  rejectUncarried(carries, body, KNOWN)
  const fields = readPresent(GenerateContentRequest, body, '')
  const config = readConfig(fields.generationConfig ?? {})
  const thinking = readCamelCased(ThinkingConfig, config.thinkingConfig ?? {}, `${CONFIG}.thinkingConfig`)
  const { systemInstruction: system, toolConfig } = fields
  return {
    from: carries,
    streams,
    shows_usage: true,
    system: system === undefined ? [] : decodeSystem(system, 'systemInstruction'),
    turns: mergeTurns(decodeContents(body.contents)),
    safety_settings: body.safetySettings,
    tools: (fields.tools ?? []).flatMap((tool, index) => decodeTool(tool, `tools[${index}]`)),
    tool_choice: toolConfig && decodeToolChoice(toolConfig, 'toolConfig'),
    parallel_tool_calls: undefined,
    max_output_tokens: config.maxOutputTokens,
    temperature: config.temperature,
    top_p: config.topP,
    top_k: config.topK,
    stop: config.stopSequences ?? [],
    seed: config.seed,
    candidates: config.candidateCount,
    thinking: decodeThinking(thinking),
    // Gemini shows none by default: https://ai.google.dev/gemini-api/docs/thinking#summaries
    shows_thinking: thinking.includeThoughts ?? (config.thinkingConfig ? false : undefined),
    output: decodeOutput(config),
    images: decodeImages(config),
    logprobs: config.responseLogprobs ? (config.logprobs ?? 0) : undefined,
    frequency_penalty: config.frequencyPenalty,
    presence_penalty: config.presencePenalty,
    verbosity: undefined,
    user: undefined,
    cache_key: undefined,
  }
}

function readConfig(raw: JsonObject): Config {
  const object = camelCased(raw, CONFIG)
  rejectUncarried(carries, object, CONFIG_KNOWN, CONFIG)
  const config = readPresent(GenerationConfig, object, CONFIG)
  if (config.responseModalities?.some((modality) => !MODALITIES.has(modality.toUpperCase())))
    throw refusal(
      `${CONFIG}.responseModalities`,
      'must be "TEXT", "IMAGE" or both. Change it, or leave it out.',
    )
  return config
}

const MODALITIES: ReadonlySet<string> = new Set(['TEXT', 'IMAGE'])

/** Reads the image settings. An empty list of modalities counts as absent. */
function decodeImages({
  responseModalities: modalities = [],
  imageConfig,
}: Config): ImageOutput | false | undefined {
  const requested = modalities.map((modality) => modality.toUpperCase())
  if (requested.length > 0 && !requested.includes('IMAGE')) return false
  if (requested.length === 0 && !imageConfig) return undefined
  const path = `${CONFIG}.imageConfig`
  const image_fields = camelCased(imageConfig ?? {}, path)
  rejectUncarried(carries, image_fields, IMAGE_KNOWN, path)
  const { aspectRatio: aspect_ratio, imageSize: size } = readPresent(ImageConfig, image_fields, path)
  const with_text = requested.length === 0 || requested.includes('TEXT')
  return { aspect_ratio, size, with_text, size_at: `${path}.imageSize` }
}

const LEVELS: Readonly<Record<string, Effort>> = {
  MINIMAL: 'minimal',
  LOW: 'low',
  MEDIUM: 'medium',
  HIGH: 'high',
}

/** A budget of 0 turns thinking off; -1 leaves it to the model. */
function decodeThinking(config: Present<Static<typeof ThinkingConfig>>): Thinking | undefined {
  const { thinkingBudget: budget_tokens, thinkingLevel: level } = config
  const path = `${CONFIG}.thinkingConfig`
  if (budget_tokens !== undefined) {
    if (!Number.isInteger(budget_tokens) || budget_tokens < -1)
      throw refusal(`${path}.thinkingBudget`, 'must be a whole number, -1 or more.')
    if (budget_tokens === 0) return { mode: 'off' }
    return budget_tokens < 0 ? { mode: 'auto' } : { mode: 'budget', budget_tokens }
  }
  if (level === undefined || level === 'THINKING_LEVEL_UNSPECIFIED') return undefined
  return { mode: 'effort', effort: oneOf(LEVELS, level.toUpperCase(), `${path}.thinkingLevel`) }
}

function decodeOutput(config: Config): OutputFormat | undefined {
  const { responseMimeType: mime, responseSchema: own, responseJsonSchema } = config
  const schema = own ? fromGeminiSchema(own) : responseJsonSchema
  if (schema) return { kind: 'json_schema', name: '', schema, strict: undefined }
  return mime && MIME_TYPES[mime] === 'json' ? { kind: 'json' } : undefined
}
