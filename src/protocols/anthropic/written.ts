// The output that a model wrote in messages: the fields of their blocks and of the events that add to them.
import type { Json } from '../wire/json.ts'
import { fields, JSON_TEXT, NOTHING, PROOF, TEXT, Written } from '../written.ts'

/** No audio is written. */
export const NO_AUDIO = 0

const Citation = fields({
  type: NOTHING,
  encrypted_index: NOTHING,
  file_id: NOTHING,
})

/** The model did not write the encrypted page that a tool found; `data` is thinking. */
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

/** An event of any kind. */
export const EventShape = fields({ ...EVENT, delta: DeltaShape })
/** The fields beside a delta, which is counted apart. */
export const BesideDeltaShape = fields({ delta: NOTHING, ...EVENT })

/** The output of one block in estimated tokens. */
export function blockTokens(block: Json): number {
  const written = new Written(block, BlockShape)
  return written.tokens(written.text || written.said, NO_AUDIO)
}
