// The output fields of messages: those of blocks, and of the events that extend blocks.

import { fields, JSON_TEXT, NO_OUTPUT, ParsedOutput, SIGNATURE, TEXT } from '../output-size.ts'
import type { Json } from '../wire/json.ts'

/** The protocol has no audio output. */
export const NO_AUDIO = 0

const Citation = fields({
  type: NO_OUTPUT,
  encrypted_index: NO_OUTPUT,
  file_id: NO_OUTPUT,
})

/** The encrypted page that a tool found is not the model's output; `data` is thinking. */
const BlockShape = fields({
  type: NO_OUTPUT,
  text: TEXT,
  thinking: TEXT,
  signature: SIGNATURE,
  id: NO_OUTPUT,
  name: TEXT,
  input: JSON_TEXT,
  tool_use_id: NO_OUTPUT,
  caller: NO_OUTPUT,
  citations: Citation,
  content: fields({
    type: NO_OUTPUT,
    encrypted_content: NO_OUTPUT,
    file_id: NO_OUTPUT,
    tool_use_id: NO_OUTPUT,
  }),
})

export const DeltaShape = fields({
  type: NO_OUTPUT,
  text: TEXT,
  partial_json: TEXT,
  thinking: TEXT,
  signature: SIGNATURE,
  citation: Citation,
})

const EVENT = {
  type: NO_OUTPUT,
  content_block: BlockShape,
  message: NO_OUTPUT,
  usage: NO_OUTPUT,
  context_management: NO_OUTPUT,
  error: NO_OUTPUT,
  request_id: NO_OUTPUT,
}

export const EventShape = fields({ ...EVENT, delta: DeltaShape })
/** An event without its delta, which is counted apart. */
export const BesideDeltaShape = fields({ delta: NO_OUTPUT, ...EVENT })

export function blockTokens(block: Json): number {
  const written = new ParsedOutput(block, BlockShape)
  return written.tokens(written.text || written.longest_form, NO_AUDIO)
}
