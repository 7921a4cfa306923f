// The output fields of messages: those of blocks, and of the events that extend blocks.
import type { Json } from '../wire/json.ts'
import { fields, JSON_TEXT, NOTHING, PROOF, TEXT, Written } from '../written.ts'

/** The protocol has no audio output. */
export const NO_AUDIO = 0

const Citation = fields({
  type: NOTHING,
  encrypted_index: NOTHING,
  file_id: NOTHING,
})

/** The encrypted page that a tool found is not the model's output; `data` is thinking. */
const BlockShape = fields({
  type: NOTHING,
  text: TEXT,
  thinking: TEXT,
  signature: PROOF,
  id: NOTHING,
  name: TEXT,
  input: JSON_TEXT,
  tool_use_id: NOTHING,
  caller: NOTHING,
  citations: Citation,
  content: fields({ type: NOTHING, encrypted_content: NOTHING, file_id: NOTHING, tool_use_id: NOTHING }),
})

export const DeltaShape = fields({
  type: NOTHING,
  text: TEXT,
  partial_json: TEXT,
  thinking: TEXT,
  signature: PROOF,
  citation: Citation,
})

const EVENT = {
  type: NOTHING,
  content_block: BlockShape,
  message: NOTHING,
  usage: NOTHING,
  context_management: NOTHING,
  error: NOTHING,
  request_id: NOTHING,
}

export const EventShape = fields({ ...EVENT, delta: DeltaShape })
/** An event without its delta, which is counted apart. */
export const BesideDeltaShape = fields({ delta: NOTHING, ...EVENT })

export function blockTokens(block: Json): number {
  const written = new Written(block, BlockShape)
  return written.tokens(written.text || written.said, NO_AUDIO)
}
