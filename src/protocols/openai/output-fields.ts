// The output fields of chat completions: those of messages and deltas, at OpenAI and at similar servers.

import {
  AUDIO,
  FIRST_FORM,
  fields,
  IMAGE,
  NO_OUTPUT,
  ParsedOutput,
  SECOND_FORM,
  TEXT,
  THIRD_FORM,
} from '../output-size.ts'
import type { Json, JsonObject } from '../wire/json.ts'

/** One token per 50 ms: https://platform.openai.com/docs/guides/realtime-costs */
export const AUDIO_TOKENS_PER_SECOND = 20

const Image = fields({
  type: NO_OUTPUT,
  image_url: fields({ url: IMAGE, detail: NO_OUTPUT }),
  b64_json: IMAGE,
  data: IMAGE,
  mime_type: NO_OUTPUT,
})

/** Reasoning as OpenRouter and LiteLLM send it beside, or in place of, its text. */
const ReasoningParts = fields({
  type: NO_OUTPUT,
  text: THIRD_FORM,
  summary: THIRD_FORM,
  thinking: THIRD_FORM,
  data: THIRD_FORM,
  id: NO_OUTPUT,
  format: NO_OUTPUT,
  signature: NO_OUTPUT,
})

/** A message, or a delta. `reasoning` and `reasoning_content` are two servers' names for the same text. */
export const MessageShape = fields({
  content: fields({ type: NO_OUTPUT, text: TEXT, thinking: fields({ type: NO_OUTPUT }), image_url: Image }),
  role: NO_OUTPUT,
  reasoning_content: FIRST_FORM,
  reasoning: SECOND_FORM,
  tool_calls: fields({
    function: TEXT,
    type: NO_OUTPUT,
    id: NO_OUTPUT,
    custom: TEXT,
    extra_content: NO_OUTPUT,
  }),
  refusal: TEXT,
  reasoning_details: ReasoningParts,
  thinking_blocks: ReasoningParts,
  audio: fields({ id: NO_OUTPUT, data: AUDIO }),
  images: Image,
  annotations: fields({ type: NO_OUTPUT }),
  id: NO_OUTPUT,
})

const CHOICE = {
  finish_reason: NO_OUTPUT,
  native_finish_reason: NO_OUTPUT,
  stop_reason: NO_OUTPUT,
  matched_stop: NO_OUTPUT,
  logprobs: NO_OUTPUT,
  content_filter_results: NO_OUTPUT,
  content_filter_offsets: NO_OUTPUT,
}

/** A choice without a delta, from a server with another name for it. */
export const ChoiceShape = fields({ ...CHOICE, message: MessageShape })
/** The fields beside a delta, which is counted apart. A message there repeats earlier text (Perplexity). */
export const BesideDeltaShape = fields({ delta: NO_OUTPUT, ...CHOICE, message: NO_OUTPUT })

/** The message of a choice. Some servers write its text as completions does. */
export const messageIn = ({ message, text }: JsonObject): Json | undefined =>
  message ?? (typeof text === 'string' ? { content: text } : undefined)

export function messageTokens(message: Json | undefined): number {
  const written = new ParsedOutput(message, MessageShape)
  return written.tokens(written.longest_form + written.text, AUDIO_TOKENS_PER_SECOND)
}
