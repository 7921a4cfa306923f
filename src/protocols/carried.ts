// Owns what a translation carries, drops and refuses: one table of data, which the code obeys and the README quotes.

import { type GatewayError, invalidRequest } from '../domain/errors.ts'
import type { ConversationRequest, ProtocolName } from './canonical.ts'
import type { JsonObject } from './wire/json.ts'

/** `dropped` is left out in silence, as the vendors' own compatibility endpoints do; `refused` answers 400 and names the field. */
export interface Loss {
  readonly fate: 'dropped' | 'refused'
  readonly why: string
}

const dropped = (why: string): Loss => ({ fate: 'dropped', why })
const refused = (why: string): Loss => ({ fate: 'refused', why })

/** What a request can say, apart from its conversation. */
export type Saying = Exclude<
  keyof ConversationRequest,
  'from' | 'streams' | 'shows_usage' | 'turns' | 'shows_thinking'
>

/** For each thing that a request can say: the field that says it in each protocol, or what becomes of it there. */
export const CARRIED: Readonly<Record<Saying, Readonly<Record<ProtocolName, string | Loss>>>> = {
  system: { gemini: 'systemInstruction', anthropic: 'system', openai: 'messages' },
  max_output_tokens: {
    gemini: 'generationConfig.maxOutputTokens',
    anthropic: 'max_tokens',
    openai: 'max_completion_tokens',
  },
  temperature: {
    gemini: 'generationConfig.temperature',
    anthropic: 'temperature',
    openai: 'temperature',
  },
  top_p: { gemini: 'generationConfig.topP', anthropic: 'top_p', openai: 'top_p' },
  top_k: {
    gemini: 'generationConfig.topK',
    anthropic: 'top_k',
    openai: dropped('chat completions cannot say it'),
  },
  stop: { gemini: 'generationConfig.stopSequences', anthropic: 'stop_sequences', openai: 'stop' },
  seed: {
    gemini: 'generationConfig.seed',
    anthropic: dropped('the model takes no seed, and no vendor promises equal answers for one'),
    openai: 'seed',
  },
  answers: {
    gemini: 'generationConfig.candidateCount',
    anthropic: refused('it gives one answer to a prompt'),
    openai: 'n',
  },
  thinking: {
    gemini: 'generationConfig.thinkingConfig',
    anthropic: 'thinking',
    openai: 'reasoning_effort',
  },
  output: {
    gemini: 'generationConfig.responseJsonSchema',
    anthropic: 'output_config.format',
    openai: 'response_format',
  },
  tools: { gemini: 'tools', anthropic: 'tools', openai: 'tools' },
  tool_choice: { gemini: 'toolConfig', anthropic: 'tool_choice', openai: 'tool_choice' },
  parallel_tool_calls: {
    gemini: dropped('the model decides how many tools it calls at once'),
    anthropic: 'tool_choice.disable_parallel_tool_use',
    openai: 'parallel_tool_calls',
  },
  logprobs: {
    gemini: 'generationConfig.responseLogprobs',
    anthropic: refused('it gives no log probabilities'),
    openai: 'logprobs',
  },
  frequency_penalty: {
    gemini: 'generationConfig.frequencyPenalty',
    anthropic: dropped('the model takes no penalties'),
    openai: 'frequency_penalty',
  },
  presence_penalty: {
    gemini: 'generationConfig.presencePenalty',
    anthropic: dropped('the model takes no penalties'),
    openai: 'presence_penalty',
  },
  user: {
    gemini: dropped('there is no field for it'),
    anthropic: 'metadata.user_id',
    openai: 'safety_identifier',
  },
}

/** The pieces of a conversation that not every protocol can say. */
export const CARRIED_PARTS = {
  image_url: {
    gemini:
      'fileData; the address must end in .png, .jpg, .jpeg, .webp, .heic or .heif, for Gemini is told the type',
    anthropic: 'image',
    openai: 'image_url',
  },
  document: { gemini: 'inlineData', anthropic: 'document', openai: 'file' },
  document_url: {
    gemini: 'fileData',
    anthropic: 'document',
    openai: refused('it takes documents inline only'),
  },
  audio: { gemini: 'inlineData', anthropic: refused('it takes no audio'), openai: 'input_audio' },
  tool_result_image: {
    gemini: 'functionResponse.parts; before Gemini 3, inlineData beside it',
    anthropic: 'tool_result',
    openai: 'image_url, in a user message after the tool messages',
  },
  answered_image: {
    gemini: dropped('models of other vendors answer chats with text only'),
    anthropic: dropped('a message answers with text only; ask for images at the image endpoints'),
    openai: dropped('chat completions answer with text only; ask for images at the image endpoints'),
  },
  json_without_schema: {
    gemini: 'generationConfig.responseMimeType',
    anthropic: refused('it writes JSON by a schema only; send a json_schema'),
    openai: 'response_format',
  },
  late_system_message: {
    gemini: 'systemInstruction, after what is there',
    anthropic: 'system, after what is there',
    openai: 'messages, as it came',
  },
  own_thinking: {
    gemini: 'a part with thought and thoughtSignature',
    anthropic: 'thinking and redacted_thinking',
    openai: dropped('chat completions takes no thinking back'),
  },
  thinking_of_another_vendor: {
    gemini: dropped('a signature is only good for its issuer'),
    anthropic: dropped('a signature is only good for its issuer'),
    openai: dropped('a signature is only good for its issuer'),
  },
} as const satisfies Readonly<Record<string, Readonly<Record<ProtocolName, string | Loss>>>>

const NO_EFFECT = dropped('it changes how a vendor serves the call, not what is answered')
const SERVER_SIDE = refused('it needs something that only its own vendor has')

/** Fields of each protocol's request that nothing else can say. A field in no table is not known, and refused. */
export const UNCARRIED: Readonly<Record<ProtocolName, Readonly<Record<string, Loss>>>> = {
  gemini: {
    model: dropped('the address names the model'),
    safetySettings: dropped('other vendors have their own fixed safety rules'),
    labels: NO_EFFECT,
    serviceTier: NO_EFFECT,
    store: NO_EFFECT,
    cachedContent: SERVER_SIDE,
    'toolConfig.retrievalConfig': SERVER_SIDE,
    'toolConfig.includeServerSideToolInvocations': SERVER_SIDE,
    'generationConfig.mediaResolution': dropped('other vendors choose the resolution'),
    'generationConfig.enableEnhancedCivicAnswers': NO_EFFECT,
    'generationConfig.audioTimestamp': SERVER_SIDE,
    'generationConfig.speechConfig': SERVER_SIDE,
    'generationConfig.imageConfig': SERVER_SIDE,
    'generationConfig.responseFormat': refused('send responseMimeType and responseJsonSchema instead'),
  },
  anthropic: {
    cache_control: dropped('other vendors cache by themselves, or not at all'),
    service_tier: NO_EFFECT,
    speed: NO_EFFECT,
    diagnostics: NO_EFFECT,
    user_profile_id: NO_EFFECT,
    workspace_id: NO_EFFECT,
    context_management: dropped('it trims long conversations, which other vendors do not'),
    inference_geo: refused('no other vendor promises where it computes'),
    container: SERVER_SIDE,
    mcp_servers: SERVER_SIDE,
  },
  openai: {
    metadata: NO_EFFECT,
    store: NO_EFFECT,
    service_tier: NO_EFFECT,
    prediction: NO_EFFECT,
    prompt_cache_key: NO_EFFECT,
    prompt_cache_options: NO_EFFECT,
    prompt_cache_retention: NO_EFFECT,
    verbosity: dropped('other vendors have no such setting'),
    logit_bias: refused('tokens are numbered by each model on its own'),
    audio: SERVER_SIDE,
    moderation: SERVER_SIDE,
    web_search_options: SERVER_SIDE,
  },
}

/** The vendors' names of what cannot be said, for messages. */
const VENDOR_MODEL: Readonly<Record<ProtocolName, string>> = {
  gemini: 'a Gemini model',
  anthropic: 'a Claude model',
  openai: 'a model behind chat completions',
}

const cannotCarry = (path: string, to: string, why: string): GatewayError =>
  invalidRequest(`${path} cannot be carried to ${to}: ${why}. Leave it out, or choose another model.`, {
    param: path,
  })

/**
 * Checks the names of a request's fields, or of one of its objects.
 * @param known fields that the decoder reads
 * @param within the object's place in the request; undefined for the request itself
 * @throws GatewayError invalid_request for a field that is lost and must not be, and for an unknown one
 */
export function refuseUncarried(
  protocol: ProtocolName,
  body: JsonObject,
  known: ReadonlySet<string>,
  within?: string,
): void {
  for (const [name, value] of Object.entries(body)) {
    if (known.has(name) || value === null) continue
    const path = within === undefined ? name : `${within}.${name}`
    const loss = UNCARRIED[protocol][path]
    if (loss?.fate === 'dropped') continue
    throw cannotCarry(path, "another vendor's model", loss?.why ?? 'it is not known to the gateway')
  }
}

/**
 * Checks that a protocol can say all that a request says.
 * @throws GatewayError invalid_request that names the field in the caller's own words
 */
export function refuseUnsayable(request: ConversationRequest, to: ProtocolName): void {
  for (const saying of Object.keys(CARRIED) as Saying[]) {
    const place = CARRIED[saying][to]
    if (typeof place === 'string' || place.fate === 'dropped' || !isSaid(request, saying)) continue
    const field = CARRIED[saying][request.from]
    throw cannotCarry(typeof field === 'string' ? field : saying, VENDOR_MODEL[to], place.why)
  }
}

/** The refusal of one piece of a conversation. @param at its place in the caller's request */
export function refusePart(part: keyof typeof CARRIED_PARTS, to: ProtocolName, at: string): GatewayError {
  const place: string | Loss = CARRIED_PARTS[part][to]
  return cannotCarry(at, VENDOR_MODEL[to], typeof place === 'string' ? place : place.why)
}

function isSaid(request: ConversationRequest, saying: Saying): boolean {
  const value = request[saying]
  if (saying === 'answers') return value !== undefined && value !== 1
  return Array.isArray(value) ? value.length > 0 : value !== undefined
}
