// The parts and turns of a conversation in the canonical form, which every translation goes through.
import { isObject, type Json, type JsonObject, parseObject, stringIn } from '../wire/json.ts'

/**
 * A provider's signature on its model's thinking. Without it, the provider may refuse the next turn. Each protocol sends signatures of
 * its own format back to its provider, and passes those of other formats through to the caller.
 */
export interface Signature {
  /** The name of the format, which also identifies the issuer. It is OpenRouter's name for the format, if there is one. */
  readonly format: string
  readonly value: string
}

/** Bytes as base64, or an address that the provider is to fetch. */
export type Source =
  | { readonly by: 'data'; readonly mime_type: string; readonly data: string }
  | { readonly by: 'url'; readonly url: string }

/** The time for which a provider keeps the prompt up to a cache mark: 5 minutes or an hour, as Claude has it. */
export type CacheTtl = '5m' | '1h'

/** A part that may carry a mark of the prompt cache: the provider caches the prompt up to there. */
interface Markable {
  readonly cache?: CacheTtl | undefined
}

export interface TextPart extends Markable {
  readonly kind: 'text'
  readonly text: string
  /** The text is the model's refusal to answer. */
  readonly is_refusal?: boolean | undefined
  readonly signature?: Signature | undefined
}

/** An image, audio or a document. `at` is its place in the caller's request, for error messages; empty in an answer. */
export interface MediaPart extends Markable {
  readonly kind: 'image' | 'audio' | 'document'
  readonly source: Source
  readonly name?: string | undefined
  /** The caller's remarks on a document. */
  readonly context?: string | undefined
  readonly at: string
  /** On an image that a model generated. */
  readonly signature?: Signature | undefined
}

export interface ToolCallPart extends Markable {
  readonly kind: 'tool_call'
  readonly id: string
  readonly name: string
  readonly arguments: JsonObject
  /** The text of arguments that are not a JSON object because a length limit cut them off; `arguments` then wraps it. */
  readonly cut?: string | undefined
  readonly signature?: Signature | undefined
}

export interface ToolResultPart extends Markable {
  readonly kind: 'tool_result'
  readonly call_id: string
  /** The name of the tool that was called. */
  readonly name: string
  readonly content: readonly (TextPart | MediaPart)[]
  readonly failed: boolean
}

export interface ThinkingPart {
  readonly kind: 'thinking'
  readonly text: string
  readonly signature?: Signature | undefined
}

/** Thinking that the provider hides, but expects back. */
export interface RedactedThinkingPart {
  readonly kind: 'redacted_thinking'
  readonly signature: Signature
}

export type Part = TextPart | MediaPart | ToolCallPart | ToolResultPart | ThinkingPart | RedactedThinkingPart

/** Turns alternate: adjacent ones of the same role are merged when they are decoded. */
export interface Turn {
  readonly role: 'user' | 'assistant'
  readonly parts: readonly Part[]
}

/** Merges adjacent turns of the same role and drops empty ones: some providers demand that roles alternate. */
export function mergeTurns(turns: readonly Turn[]): Turn[] {
  const merged: { role: Turn['role']; parts: Part[] }[] = []
  for (const { role, parts } of turns) {
    if (parts.length === 0) continue
    const last = merged.at(-1)
    if (last?.role === role) last.parts.push(...parts)
    else merged.push({ role, parts: [...parts] })
  }
  return merged
}

/** Counts the turns of a conversation as if adjacent ones of the same role were merged. */
export class TurnCount {
  count = 0
  #role: Turn['role'] | undefined

  add({ role, parts }: Turn): void {
    if (parts.length === 0 || role === this.#role) return
    this.#role = role
    this.count += 1
  }
}

/** The numbers of turns before each system message; undefined if all came before the first answer. */
export const lateSystemPositions = (counts: readonly number[]): readonly number[] | undefined =>
  counts.some((count) => count > 1) ? counts : undefined

/** Generates an id for a tool call without one from its position in the answer. @param call_id the gateway's id of the call */
export const newCallId = (call_id: string, candidate: number, position: number): string =>
  candidate === 0 ? `call_${call_id}_${position}` : `call_${call_id}_${candidate}_${position}`

const NO_ARGUMENTS = /^\s*(?:null\s*)?$/

/** Whether the arguments of a tool call are empty. */
export const hasNoArguments = (text: string): boolean => NO_ARGUMENTS.test(text)

/** A tool call's arguments, parsed; undefined if the text is not a JSON object. */
export const parseArguments = (text: string): JsonObject | undefined =>
  hasNoArguments(text) ? {} : parseObject(text)

/** As parseArguments. Some servers and clients send an object in place of its text. */
export const readArguments = (value: Json | undefined): JsonObject | undefined =>
  isObject(value) ? value : parseArguments(stringIn(value) ?? '')

/** The arguments of a call that a caller sends back. */
export function readCallerArguments(text: string): Pick<ToolCallPart, 'arguments' | 'cut'> {
  const parsed = parseArguments(text)
  return parsed ? { arguments: parsed } : { arguments: { arguments: text }, cut: text }
}

/** The arguments as the caller wrote them. */
export const argumentsText = ({ arguments: parsed, cut }: ToolCallPart): string =>
  cut ?? JSON.stringify(parsed)

/** Writes cut calls without a result as text: providers refuse a call without its result. */
export function unansweredCutCallsAsText(turns: readonly Turn[]): readonly Turn[] {
  const parts = turns.flatMap((turn) => turn.parts)
  if (!parts.some(isCut)) return turns
  const answered = new Set(parts.map((part) => (part.kind === 'tool_result' ? part.call_id : undefined)))
  const asText = (part: Part): Part =>
    isCut(part) && !answered.has(part.id)
      ? { kind: 'text', text: `Incomplete call of ${part.name}: ${part.cut}` }
      : part
  return turns.map((turn) => ({ ...turn, parts: turn.parts.map(asText) }))
}

/** Whether a part is a call whose arguments were cut off. */
export const isCut = (part: Part): part is ToolCallPart & { cut: string } =>
  part.kind === 'tool_call' && part.cut !== undefined

/** The text of all parts, joined. */
export const textOf = (parts: readonly Part[]): string =>
  parts.map((part) => (part.kind === 'text' ? part.text : '')).join('')
