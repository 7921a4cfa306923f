// Encoding of a canonical answer as a whole response.
import type { AnswerContext, Candidate, ConversationAnswer } from '../../canonical/answer.ts'
import type { Part, Signature } from '../../canonical/parts.ts'
import type { JsonObject } from '../../wire/json.ts'
import { itemId } from './ids.ts'
import { IMAGE_ITEM, imageItem } from './image-items.ts'
import {
  callItem,
  callType,
  messageItem,
  reasoningItem,
  refusalContent,
  textContent,
} from './output-items.ts'
import { allTools } from './recalled.ts'
import { endedResponse, skeletonOf } from './response-object.ts'
import { type NamedTool, toolsByName } from './tools.ts'

/** Encodes the first candidate: callers of this protocol cannot request more. */
export function encodeAnswer(answer: ConversationAnswer, context: AnswerContext): JsonObject {
  const [first] = answer.candidates
  const output = outputOf(first, context)
  const ending = {
    stop_reason: first.stop_reason,
    output,
    usage: answer.usage,
    service_tier: answer.service_tier,
  }
  return endedResponse(skeletonOf(context), ending, context.created_s)
}

function outputOf(candidate: Candidate, { id, request_fields }: AnswerContext): JsonObject[] {
  const tools = toolsByName(allTools(request_fields ?? {}))
  const output: JsonObject[] = []
  const add = (type: string, write: (id: string) => JsonObject) =>
    output.push(write(itemId(type, id, output.length)))
  const sign = (signature: Signature | undefined) => {
    if (signature) add('reasoning', (item_id) => reasoningItem(item_id, '', signature, 'tool_call'))
  }
  for (const part of candidate.parts) {
    if (part.kind === 'text') add('message', (item_id) => messageItem(item_id, [contentOf(part, candidate)]))
    else if (part.kind === 'thinking')
      add('reasoning', (item_id) => reasoningItem(item_id, part.text, part.signature, 'thinking'))
    else if (part.kind === 'redacted_thinking')
      add('reasoning', (item_id) => reasoningItem(item_id, '', part.signature, 'redacted_thinking'))
    else if (part.kind === 'tool_call') {
      sign(part.signature)
      const tool = tools.get(part.name)
      add(callType(tool), (item_id) => callItem(item_id, callOf(part, tool)))
    } else if (part.kind === 'image') {
      sign(part.signature)
      add(IMAGE_ITEM, (item_id) => imageItem(item_id, part))
    }
  }
  return output
}

const contentOf = (part: Extract<Part, { kind: 'text' }>, { logprobs }: Candidate): JsonObject =>
  part.is_refusal ? refusalContent(part.text) : textContent(part.text, logprobs)

const callOf = (part: Extract<Part, { kind: 'tool_call' }>, tool: NamedTool | undefined) => ({
  call_id: part.id,
  name: part.name,
  arguments_json: JSON.stringify(part.arguments),
  tool,
})
