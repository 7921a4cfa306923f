// The output fields of responses: those of items, and of the events that extend items.

import { AUDIO, fields, NO_OUTPUT, ParsedOutput, silentNames } from '../../output-size.ts'
import type { Json, JsonObject } from '../../wire/json.ts'
import { AUDIO_TOKENS_PER_SECOND } from '../output-fields.ts'

/** Generated images are charged as images. A tool's results and description are not the model's output. */
const ItemShape = fields({
  type: NO_OUTPUT,
  id: NO_OUTPUT,
  status: NO_OUTPUT,
  role: NO_OUTPUT,
  call_id: NO_OUTPUT,
  phase: NO_OUTPUT,
  content: fields({
    type: NO_OUTPUT,
    logprobs: NO_OUTPUT,
    data: AUDIO,
    audio: AUDIO,
    annotations: fields({ type: NO_OUTPUT }),
  }),
  summary: fields({ type: NO_OUTPUT }),
  action: fields({ type: NO_OUTPUT }),
  tools: NO_OUTPUT,
  results: NO_OUTPUT,
  result: NO_OUTPUT,
  background: NO_OUTPUT,
  output_format: NO_OUTPUT,
  quality: NO_OUTPUT,
  size: NO_OUTPUT,
  container_id: NO_OUTPUT,
  server_label: NO_OUTPUT,
  approval_request_id: NO_OUTPUT,
  environment: NO_OUTPUT,
  operation: fields({ type: NO_OUTPUT }),
  created_by: NO_OUTPUT,
})

/** Any event except those that repeat the response. */
const EventShape = fields({
  type: NO_OUTPUT,
  item_id: NO_OUTPUT,
  item: ItemShape,
  part: fields({ type: NO_OUTPUT, logprobs: NO_OUTPUT, annotations: fields({ type: NO_OUTPUT }) }),
  annotation: fields({ type: NO_OUTPUT }),
  logprobs: NO_OUTPUT,
  obfuscation: NO_OUTPUT,
  partial_image_b64: NO_OUTPUT,
  background: NO_OUTPUT,
  output_format: NO_OUTPUT,
  quality: NO_OUTPUT,
  size: NO_OUTPUT,
  event_id: NO_OUTPUT,
  response_id: NO_OUTPUT,
  call_id: NO_OUTPUT,
  response: NO_OUTPUT,
})

/** The text fields of an event that hold no output. */
export const SILENT_NAMES = silentNames(EventShape)

export interface OutputPart {
  readonly text: string
  readonly audio_chars: number
}

export const outputOfEvent = (event: JsonObject): OutputPart => new ParsedOutput(event, EventShape)
export const outputOfItems = (output: Json | undefined): OutputPart => new ParsedOutput(output, ItemShape)

export function outputTokens(output: Json | undefined): number {
  const written = new ParsedOutput(output, ItemShape)
  return written.tokens(written.text, AUDIO_TOKENS_PER_SECOND)
}
