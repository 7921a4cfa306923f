// The parts and turns of a conversation in the canonical form, which every translation goes through.
import { isObject, type Json, type JsonObject, parseObject, stringIn } from '../wire/json.ts'

/**
 * A provider's signature on what its model thought, without which it may refuse the next turn. Only a protocol with
 * signatures of the same format can use it: each sends its own back to its provider, and carries the others' for the
 * caller.
 */
export interface Signature {
  /** The name of the format, which also tells who issued it: OpenRouter's name, where it has one. */
  readonly format: string
  readonly value: string
}

/** Bytes as base64, or an address that the provider is to fetch. */
export type Source =
  | { readonly by: 'data'; readonly mime_type: string; readonly data: string }
  | { readonly by: 'url'; readonly url: string }

/** How long a provider is to keep the prompt up to a mark: 5 minutes or an hour, as Claude has it. */
export type CacheTtl = '5m' | '1h'

/** A part that may end a cached part of the prompt. */
interface Markable {
  readonly cache?: CacheTtl | undefined
}

export interface TextPart extends Markable {
  readonly kind: 'text'
  readonly text: string
  /** The model says in it that it will not answer. */
  readonly is_refusal?: boolean | undefined
  readonly signature?: Signature | undefined
}

/** An image, audio or a document. `at` is its place in the caller's request, for a refusal to name; empty in an answer. */
export interface MediaPart extends Markable {
  readonly kind: 'image' | 'audio' | 'document'
  readonly source: Source
  readonly name?: string | undefined
  /** The caller's remarks on a document. */
  readonly context?: string | undefined
  readonly at: string
  /** On an image that a model answered with. */
  readonly signature?: Signature | undefined
}

export interface ToolCallPart extends Markable {
  readonly kind: 'tool_call'
  readonly id: string
  readonly name: string
  readonly arguments: JsonObject
  /** The text of arguments that are not a JSON object, because a length limit cut them off; `arguments` then holds it. */
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

/** Thinking that the provider shows to nobody, but expects back. */
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

/** How many turns a conversation has so far, as they are once merged. */
export class TurnCount {
  count = 0
  #role: Turn['role'] | undefined

  add({ role, parts }: Turn): void {
    if (parts.length === 0 || role === this.#role) return
    this.#role = role
    this.count += 1
  }
}

/** The counts of turns before system messages; undefined where none came after an answer. */
export const afterAnswers = (counts: readonly number[]): readonly number[] | undefined =>
  counts.some((count) => count > 1) ? counts : undefined

/** An id for a tool call that came without one, made of its position in the answer. @param call_id the gateway's id of the call */
export const madeCallId = (call_id: string, candidate: number, position: number): string =>
  candidate === 0 ? `call_${call_id}_${position}` : `call_${call_id}_${candidate}_${position}`

const NO_ARGUMENTS = /^\s*(?:null\s*)?$/

/** Whether the text of a tool call's arguments says that there are none. */
export const hasNoArguments = (text: string): boolean => NO_ARGUMENTS.test(text)

/** A tool call's arguments, parsed; undefined if the text is not a JSON object. */
export const parseArguments = (text: string): JsonObject | undefined =>
  hasNoArguments(text) ? {} : parseObject(text)

/** The same of arguments that some servers and clients give as an object in place of its text. */
export const readArguments = (value: Json | undefined): JsonObject | undefined =>
  isObject(value) ? value : parseArguments(stringIn(value) ?? '')

/** The arguments of a call that a caller sends back. */
export function callersArguments(text: string): Pick<ToolCallPart, 'arguments' | 'cut'> {
  const parsed = parseArguments(text)
  return parsed ? { arguments: parsed } : { arguments: { arguments: text }, cut: text }
}

/** The arguments as their caller wrote them. */
export const argumentsText = ({ arguments: parsed, cut }: ToolCallPart): string =>
  cut ?? JSON.stringify(parsed)

/** Cut calls that nobody answered, as text: providers refuse a call without its result. */
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

/** Whether a part is a call with arguments that were cut off. */
export const isCut = (part: Part): part is ToolCallPart & { cut: string } =>
  part.kind === 'tool_call' && part.cut !== undefined

/** The text of all parts, joined. */
export const textOf = (parts: readonly Part[]): string =>
  parts.map((part) => (part.kind === 'text' ? part.text : '')).join('')
