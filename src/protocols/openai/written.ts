// The output that a model wrote in chat completions: the fields of messages and deltas, at OpenAI and at similar servers.

import type { Json, JsonObject } from '../wire/json.ts'
import { AUDIO, fields, IMAGE, NOTHING, SAID, SAID_AGAIN, SAID_IN_PARTS, TEXT, Written } from '../written.ts'

/** One for 50 ms: https://platform.openai.com/docs/guides/realtime-costs */
export const AUDIO_TOKENS_PER_SECOND = 20

const Image = fields({
  type: NOTHING,
  image_url: fields({ url: IMAGE, detail: NOTHING }),
  b64_json: IMAGE,
  data: IMAGE,
  mime_type: NOTHING,
})

/** Reasoning as OpenRouter and LiteLLM give it beside, or in place of, its text. */
const ReasoningParts = fields({
  type: NOTHING,
  text: SAID_IN_PARTS,
  summary: SAID_IN_PARTS,
  thinking: SAID_IN_PARTS,
  data: SAID_IN_PARTS,
  id: NOTHING,
  format: NOTHING,
  signature: NOTHING,
})

/** A message, or what a chunk adds to it. `reasoning` and `reasoning_content` are two servers' names of one thing. */
export const MessageShape = fields({
  content: fields({ type: NOTHING, text: TEXT, thinking: fields({ type: NOTHING }), image_url: Image }),
  role: NOTHING,
  reasoning_content: SAID,
  reasoning: SAID_AGAIN,
  tool_calls: fields({ function: TEXT, type: NOTHING, id: NOTHING, custom: TEXT, extra_content: NOTHING }),
  refusal: TEXT,
  reasoning_details: ReasoningParts,
  thinking_blocks: ReasoningParts,
  audio: fields({ id: NOTHING, data: AUDIO }),
  images: Image,
  annotations: fields({ type: NOTHING }),
  id: NOTHING,
})

const CHOICE = {
  finish_reason: NOTHING,
  native_finish_reason: NOTHING,
  stop_reason: NOTHING,
  matched_stop: NOTHING,
  logprobs: NOTHING,
  content_filter_results: NOTHING,
  content_filter_offsets: NOTHING,
}

/** A choice without a delta: that of a server which names it otherwise. */
export const ChoiceShape = fields({ ...CHOICE, message: MessageShape })
/** The fields beside a delta, which is counted apart. A message there repeats earlier text (Perplexity). */
export const BesideDeltaShape = fields({ delta: NOTHING, ...CHOICE, message: NOTHING })

/** The message of a choice, which some servers write as completions do. */
export const messageIn = ({ message, text }: JsonObject): Json | undefined =>
  message ?? (typeof text === 'string' ? { content: text } : undefined)

/** The output of one message in estimated tokens. */
export function messageTokens(message: Json | undefined): number {
  const written = new Written(message, MessageShape)
  return written.tokens(written.said + written.text, AUDIO_TOKENS_PER_SECOND)
}
