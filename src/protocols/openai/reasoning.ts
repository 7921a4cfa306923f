// Owns where chat completions carry thinking and its seals. OpenAI has no place for them, so these are the ones that others
// made: `reasoning_content` (vLLM, llama.cpp), `reasoning_details` (OpenRouter), `extra_content.google` (Google).
// https://openrouter.ai/docs/use-cases/reasoning-tokens, https://ai.google.dev/gemini-api/docs/thought-signatures
import type { ProtocolName, RedactedThinkingPart, Signature, ThinkingPart } from '../canonical.ts'
import { compact, type JsonObject, objectIn, objectsIn, stringIn } from '../wire/json.ts'

/** OpenRouter's names of the vendors' formats. */
const FORMATS: Readonly<Record<ProtocolName, string>> = {
  gemini: 'google-gemini-v1',
  anthropic: 'anthropic-claude-v1',
  openai: 'openai-responses-v1',
}

const issuerOf = (format: string | undefined): ProtocolName =>
  (Object.keys(FORMATS) as ProtocolName[]).find((name) => FORMATS[name] === format) ?? 'openai'

/** The seal on a tool call or a message, as Google's endpoint writes it. */
export function readToolSignature(holder: JsonObject): Signature | undefined {
  const value = stringIn(objectIn(objectIn(holder.extra_content).google).thought_signature)
  return value ? { issuer: 'gemini', value } : undefined
}

/** The field that holds Gemini's seal on a tool call or a message; others' seals have no place there. */
export const sealField = (signature: Signature | undefined): JsonObject =>
  signature?.issuer === 'gemini' ? { extra_content: { google: { thought_signature: signature.value } } } : {}

/** The thinking of a message, sealed where it was. */
export function readReasoning(message: JsonObject): (ThinkingPart | RedactedThinkingPart)[] {
  const details = objectsIn(message.reasoning_details).flatMap(readDetail)
  if (details.length > 0) return details
  const text = stringIn(message.reasoning_content) ?? stringIn(message.reasoning)
  return text ? [{ kind: 'thinking', text }] : []
}

function readDetail(detail: JsonObject): (ThinkingPart | RedactedThinkingPart)[] {
  const issuer = issuerOf(stringIn(detail.format))
  const data = stringIn(detail.data)
  if (detail.type === 'reasoning.encrypted' && data)
    return [{ kind: 'redacted_thinking', signature: { issuer, value: data } }]
  const text = stringIn(detail.text) ?? stringIn(detail.summary)
  const value = stringIn(detail.signature)
  if (text === undefined && value === undefined) return []
  return [{ kind: 'thinking', text: text ?? '', signature: value ? { issuer, value } : undefined }]
}

/** One entry of `reasoning_details`. */
export const reasoningDetail = (part: ThinkingPart | RedactedThinkingPart, index: number): JsonObject =>
  part.kind === 'thinking'
    ? compact({
        type: 'reasoning.text',
        text: part.text,
        signature: part.signature?.value,
        format: part.signature ? FORMATS[part.signature.issuer] : undefined,
        index,
      })
    : {
        type: 'reasoning.encrypted',
        data: part.signature.value,
        format: FORMATS[part.signature.issuer],
        index,
      }

/** A message's thinking as its fields: the text for people, and the details that a client sends back. */
export function reasoningFields(parts: readonly (ThinkingPart | RedactedThinkingPart)[]): JsonObject {
  if (parts.length === 0) return {}
  const text = parts.map((part) => (part.kind === 'thinking' ? part.text : '')).join('')
  return compact({
    reasoning_content: text === '' ? undefined : text,
    reasoning_details: parts.map(reasoningDetail),
  })
}
