// Thinking and its signatures in chat completions. OpenAI has no fields for them, so these are the ones that others added:
// `reasoning_content` (vLLM, llama.cpp), `reasoning_details` (OpenRouter), `extra_content.google` (Google).
// https://openrouter.ai/docs/use-cases/reasoning-tokens, https://ai.google.dev/gemini-api/docs/thought-signatures
import type { RedactedThinkingPart, Signature, ThinkingPart } from '../canonical/parts.ts'
import { eachUncheckedIn, Fields, List, optional, Text, type Unchecked, uncheckedIn } from '../forms.ts'
import { compact, type JsonObject, stringIn } from '../wire/json.ts'

/**
 * OpenRouter's name of the format that OpenAI's own models sign in; other formats pass under the name that they came
 * with.
 */
const OWN_FORMAT = 'openai-responses-v1'
/** Google's OpenAI-compatible endpoint carries signatures of this format only, in a field of its own. */
const GOOGLE_FORMAT = 'google-gemini-v1'

export const GoogleContent = Fields({ thought_signature: optional(Text) })
export const ExtraContent = Fields({ google: optional(GoogleContent) })
/** A tool call, or a message, that may be signed by Google's endpoint. */
export const SignedByGoogle = Fields({ extra_content: optional(ExtraContent) })

export const ReasoningDetail = Fields({
  type: Text,
  format: optional(Text),
  text: optional(Text),
  summary: optional(Text),
  signature: optional(Text),
  data: optional(Text),
})
export const Reasoning = Fields({
  reasoning_details: optional(List(ReasoningDetail)),
  reasoning_content: optional(Text),
  /** The same under another server's name. */
  reasoning: optional(Text),
})

/** The signature on a tool call or a message, as Google's endpoint writes it. */
export function readGoogleSignature({
  extra_content,
}: Unchecked<typeof SignedByGoogle>): Signature | undefined {
  const { google } = uncheckedIn<typeof ExtraContent>(extra_content)
  const value = stringIn(uncheckedIn<typeof GoogleContent>(google).thought_signature)
  return value ? { format: GOOGLE_FORMAT, value } : undefined
}

/** The field for Gemini's signature on a tool call or a message; there is none for others'. */
export const googleSignatureField = (signature: Signature | undefined): JsonObject =>
  signature?.format === GOOGLE_FORMAT
    ? { extra_content: { google: { thought_signature: signature.value } } }
    : {}

/** The thinking of a message, with its signatures. */
export function readReasoning(message: Unchecked<typeof Reasoning>): (ThinkingPart | RedactedThinkingPart)[] {
  const details = eachUncheckedIn<typeof ReasoningDetail>(message.reasoning_details).flatMap(readDetail)
  if (details.length > 0) return details
  const text = stringIn(message.reasoning_content) ?? stringIn(message.reasoning)
  return text ? [{ kind: 'thinking', text }] : []
}

function readDetail(detail: Unchecked<typeof ReasoningDetail>): (ThinkingPart | RedactedThinkingPart)[] {
  const format = stringIn(detail.format) ?? OWN_FORMAT
  const data = stringIn(detail.data)
  if (detail.type === 'reasoning.encrypted' && data)
    return [{ kind: 'redacted_thinking', signature: { format, value: data } }]
  const text = stringIn(detail.text) ?? stringIn(detail.summary)
  const value = stringIn(detail.signature)
  if (text === undefined && value === undefined) return []
  return [{ kind: 'thinking', text: text ?? '', signature: value ? { format, value } : undefined }]
}

/** One entry of `reasoning_details`. */
export const reasoningDetail = (part: ThinkingPart | RedactedThinkingPart, index: number): JsonObject =>
  part.kind === 'thinking'
    ? compact({
        type: 'reasoning.text',
        text: part.text,
        signature: part.signature?.value,
        format: part.signature?.format,
        index,
      })
    : {
        type: 'reasoning.encrypted',
        data: part.signature.value,
        format: part.signature.format,
        index,
      }

/** The fields for a message's thinking: the text for people, and the details that a client sends back. */
export function reasoningFields(parts: readonly (ThinkingPart | RedactedThinkingPart)[]): JsonObject {
  if (parts.length === 0) return {}
  const text = parts.map((part) => (part.kind === 'thinking' ? part.text : '')).join('')
  return compact({
    reasoning_content: text === '' ? undefined : text,
    reasoning_details: parts.map(reasoningDetail),
  })
}
