// Encoding of a canonical answer as a whole chat completion.
// https://platform.openai.com/docs/api-reference/chat/object
import type { AnswerContext, Candidate, ConversationAnswer } from '../canonical/answer.ts'
import { type Part, type ToolCallPart, textOf } from '../canonical/parts.ts'
import { compact, type JsonObject } from '../wire/json.ts'
import { writeLogprobs } from './logprobs.ts'
import { callSignatureField, googleSignatureField, reasoningFields, writeImage } from './reasoning.ts'
import { writeStop } from './stop-reasons.ts'
import { writeUsage } from './usage.ts'

export const encodeAnswer = (answer: ConversationAnswer, context: AnswerContext): JsonObject =>
  compact({
    id: `chatcmpl-${context.id}`,
    object: 'chat.completion',
    created: context.created_s,
    model: answer.model ?? context.model,
    choices: answer.candidates.map(encodeChoice),
    usage: answer.usage && writeUsage(answer.usage),
  })

const encodeChoice = (candidate: Candidate, index: number): JsonObject => ({
  index,
  message: encodeMessage(candidate),
  logprobs: writeLogprobs(candidate.logprobs),
  finish_reason: writeStop(candidate.stop_reason),
})

/** Text before a refusal stays content, as in a stream; `finish_reason` reports the refusal. */
function encodeMessage({ parts }: Candidate): JsonObject {
  const calls = parts.filter((part) => part.kind === 'tool_call')
  const texts = parts.filter((part) => part.kind === 'text')
  const thinking = parts.filter((part) => part.kind === 'thinking' || part.kind === 'redacted_thinking')
  const images = parts.flatMap((part) => (part.kind === 'image' ? part : [])).map(writeImage)
  const text = textOf(texts)
  return compact({
    role: 'assistant',
    content: text === '' && calls.length > 0 ? null : text,
    refusal: null,
    ...reasoningFields(thinking),
    images: images.length > 0 ? images : undefined,
    tool_calls: calls.length > 0 ? calls.map((call) => encodeCall(call, parts)) : undefined,
    ...googleSignatureField(texts.at(-1)?.signature),
  })
}

function encodeCall(call: ToolCallPart, parts: readonly Part[]): JsonObject {
  const before = parts[parts.indexOf(call) - 1]
  return {
    id: call.id,
    type: 'function',
    function: { name: call.name, arguments: JSON.stringify(call.arguments) },
    ...callSignatureField(call.signature, before?.kind === 'redacted_thinking' ? before : undefined),
  }
}
