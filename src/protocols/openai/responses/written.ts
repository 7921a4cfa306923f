// The output that a model wrote in a response: the fields of its items and of the events that add to them.
import type { Json, JsonObject } from '../../wire/json.ts'
import { AUDIO, fields, NOTHING, silentNames, Written } from '../../written.ts'
import { AUDIO_TOKENS_PER_SECOND } from '../written.ts'

/** Generated images are charged as images; the model did not write a tool's results or description. */
const ItemShape = fields({
  type: NOTHING,
  id: NOTHING,
  status: NOTHING,
  role: NOTHING,
  call_id: NOTHING,
  phase: NOTHING,
  content: fields({
    type: NOTHING,
    logprobs: NOTHING,
    data: AUDIO,
    audio: AUDIO,
    annotations: fields({ type: NOTHING }),
  }),
  summary: fields({ type: NOTHING }),
  action: fields({ type: NOTHING }),
  tools: NOTHING,
  results: NOTHING,
  result: NOTHING,
  background: NOTHING,
  output_format: NOTHING,
  quality: NOTHING,
  size: NOTHING,
  container_id: NOTHING,
  server_label: NOTHING,
  approval_request_id: NOTHING,
  environment: NOTHING,
  operation: fields({ type: NOTHING }),
  created_by: NOTHING,
})

/** An event of any kind but those that repeat the response. */
const EventShape = fields({
  type: NOTHING,
  item_id: NOTHING,
  item: ItemShape,
  part: fields({ type: NOTHING, logprobs: NOTHING, annotations: fields({ type: NOTHING }) }),
  annotation: fields({ type: NOTHING }),
  logprobs: NOTHING,
  obfuscation: NOTHING,
  partial_image_b64: NOTHING,
  background: NOTHING,
  output_format: NOTHING,
  quality: NOTHING,
  size: NOTHING,
  event_id: NOTHING,
  response_id: NOTHING,
  call_id: NOTHING,
  response: NOTHING,
})

/** The fields of an event without output in their texts. */
export const SILENT_NAMES = silentNames(EventShape)

/** The output of one part of a response. */
export interface WrittenPart {
  readonly text: string
  readonly audio_chars: number
}

export const writtenInEvent = (event: JsonObject): WrittenPart => new Written(event, EventShape)
export const writtenInItems = (output: Json | undefined): WrittenPart => new Written(output, ItemShape)

/** The output of a whole response in estimated tokens. */
export function outputTokens(output: Json | undefined): number {
  const written = new Written(output, ItemShape)
  return written.tokens(written.text, AUDIO_TOKENS_PER_SECOND)
}
