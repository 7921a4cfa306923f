// Encoding of a canonical request as a messages request.
// https://platform.claude.com/docs/en/api/messages

import { invalidRequest } from '../../domain/errors.ts'
import { VERTEX_AI } from '../../domain/servers/vertex.ts'
import { cacheControl, withClaudeMarks } from '../caching.ts'
import type { ToolChoice, ToolDefinition } from '../canonical/fields.ts'
import type { MediaPart, Part } from '../canonical/parts.ts'
import type { ConversationRequest, TargetModel } from '../canonical/request.ts'
import { rejectUnsupported } from '../carries.ts'
import { ONLY_JSON } from '../fitting.ts'
import { hashedUserId, type NameRule } from '../tool-names.ts'
import { compact, type Json, type JsonObject } from '../wire/json.ts'
import { carries } from './carries.ts'
import { encodeMessages, type LateSystem, withoutLateSystem } from './encode-messages.ts'
import { type Generation, generationFor } from './model.ts'
import { rootObject, strictSchema } from './schema.ts'
import { CLAUDE_API } from './target.ts'
import { type EncodedThinking, encodeThinking } from './thinking.ts'

/** https://platform.claude.com/docs/en/agents-and-tools/tool-use/implement-tool-use */
export const TOOL_NAMES: NameRule = { pattern: /^[a-zA-Z0-9_-]{1,128}$/, max_chars: 128 }

const NO_LATE_SYSTEM: LateSystem = new Map()

/**
 * Encodes a request for a provider of the messages protocol.
 * @throws GatewayError invalid_request for content that the protocol, or the target's server, cannot express
 */
export function encodeRequest(canonical: ConversationRequest, target: TargetModel): JsonObject {
  rejectUnsupported(canonical, carries)
  rejectAddresses(canonical, target)
  const generation = generationFor(target)
  const is_placed = generation.takes_late_system && target.server === CLAUDE_API
  const { request: early, late } = is_placed
    ? withoutLateSystem(canonical)
    : { request: canonical, late: NO_LATE_SYSTEM }
  const request = withClaudeMarks(early, target.automatic_caching ?? false)
  const max_tokens = request.max_output_tokens ?? target.max_output_tokens
  const thinking = encodeThinking(request, generation, max_tokens)
  const stop = request.stop.filter((sequence) => sequence.trim() !== '')
  return compact({
    model: target.model,
    max_tokens,
    system: encodeSystem(withJsonInstruction(request)),
    messages: encodeMessages(request.turns, late),
    stream: request.streams ? true : undefined,
    ...encodeSampling(request, generation, thinking),
    stop_sequences: stop.length > 0 ? stop : undefined,
    thinking: thinking.thinking,
    output_config: encodeConfig(request, thinking),
    ...encodeTools(request),
    metadata: request.user === undefined ? undefined : { user_id: hashedUserId(request.user) },
  })
}

/** Requests plain JSON by an instruction: Claude only has a field for schemas. */
const withJsonInstruction = (request: ConversationRequest): ConversationRequest =>
  request.output?.kind === 'json' ? { ...request, system: [...request.system, ONLY_JSON] } : request

function encodeSystem({ system, system_cache }: ConversationRequest): Json | undefined {
  const [first, ...rest] = system
  if (rest.length === 0 && !system_cache) return first
  return system.map((text, at) => {
    const cache = system_cache?.[at]
    return compact({ type: 'text', text, cache_control: cache && cacheControl(cache) })
  })
}

/**
 * Limits the temperature to 1, as Anthropic's own OpenAI-compatible endpoint does. None of these fields may be set if the model thinks.
 */
function encodeSampling(
  { temperature, top_p, top_k }: ConversationRequest,
  { sampling }: Generation,
  { thinks }: EncodedThinking,
): Record<string, Json | undefined> {
  if (sampling === 'none' || thinks) return {}
  const alone = sampling === 'both' || temperature === undefined
  return {
    temperature: temperature === undefined ? undefined : Math.min(temperature, 1),
    top_p: alone ? top_p : undefined,
    top_k,
  }
}

function encodeConfig(request: ConversationRequest, { effort }: EncodedThinking): JsonObject | undefined {
  const output = request.output?.kind === 'json_schema' ? request.output : undefined
  if (!output && effort === undefined) return undefined
  return compact({
    effort,
    format: output && { type: 'json_schema', schema: strictSchema(output.schema) },
  })
}

/** The fields for tools. A choice among some tools is encoded by offering only those. */
function encodeTools(request: ConversationRequest): Record<string, Json | undefined> {
  const { tool_choice } = request
  const offered =
    tool_choice?.mode === 'named'
      ? request.tools.filter((tool) => tool_choice.names.includes(tool.name))
      : request.tools
  if (offered.length === 0) return {}
  return { tools: offered.map(encodeTool), tool_choice: encodeChoice(request) }
}

function encodeTool(tool: ToolDefinition): JsonObject {
  const { name, description, parameters, strict, cache } = tool
  const schema = rootObject(parameters ?? { properties: {} })
  return compact({
    name,
    description,
    input_schema: strict ? strictSchema(schema) : schema,
    strict: strict ? true : undefined,
    cache_control: cache && cacheControl(cache),
  })
}

function encodeChoice(request: ConversationRequest): JsonObject | undefined {
  const parallel = request.parallel_tool_calls === false ? { disable_parallel_tool_use: true } : {}
  const choice = request.tool_choice && choiceOf(request.tool_choice)
  if (choice) return choice.type === 'none' ? choice : { ...choice, ...parallel }
  return request.parallel_tool_calls === false ? { type: 'auto', ...parallel } : undefined
}

function choiceOf(choice: ToolChoice): JsonObject {
  if (choice.mode !== 'named') return { type: choice.mode }
  if (!choice.required) return { type: 'auto' }
  const [only, ...others] = choice.names
  return only !== undefined && others.length === 0 ? { type: 'tool', name: only } : { type: 'any' }
}

/**
 * https://github.com/BerriAI/litellm/issues/18430 (images), https://github.com/anthropics/anthropic-sdk-typescript/issues/1038
 * (documents).
 * @throws GatewayError invalid_request that names an image or document given as an address
 */
function rejectAddresses({ turns }: ConversationRequest, { server }: TargetModel): void {
  if (server !== VERTEX_AI) return
  const address = turns
    .flatMap(({ parts }) => parts)
    .flatMap(mediaIn)
    .find(({ source }) => source.by === 'url')
  if (address)
    throw invalidRequest(
      `${address.at}: must be inline, because this model's server fetches no addresses. Send its bytes as base64, or choose another model.`,
      { param: address.at },
    )
}

function mediaIn(part: Part): readonly MediaPart[] {
  if (part.kind === 'tool_result') return part.content.filter((piece) => piece.kind !== 'text')
  return part.kind === 'image' || part.kind === 'document' ? [part] : []
}
