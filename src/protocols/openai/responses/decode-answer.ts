// A whole response, read into the canonical form.
// https://platform.openai.com/docs/api-reference/responses/object
import { inFull } from '../../../domain/usage.ts'
import type { ConversationAnswer, StopReason, TokenLogprob } from '../../canonical/answer.ts'
import { madeCallId, type Part, readArguments } from '../../canonical/parts.ts'
import { type JsonObject, lookUp, objectIn, objectsIn, stringIn } from '../../wire/json.ts'
import { readLogprobs } from '../logprobs.ts'
import { completeOutput } from './complete.ts'
import { ownSignature } from './encrypted.ts'
import { readUsage, responseIn } from './usage.ts'

/**
 * A provider's whole answer: one candidate. Missing fields are read as empty, and items of tools that the provider runs
 * are left out: translation asks for none.
 */
export function decodeAnswer(answer: JsonObject, call_id: string): ConversationAnswer {
  const output = objectsIn(completeOutput(answer, call_id).output)
  const parts = output.flatMap((item, index) => partsOf(item, madeCallId(call_id, 0, index)))
  const wanted_calls = output.filter(({ type }) => type === 'function_call').length
  const written = {
    refused: parts.some((part) => part.kind === 'text' && part.is_refusal),
    calls: wanted_calls,
    malformed: wanted_calls > parts.filter(({ kind }) => kind === 'tool_call').length,
  }
  const logprobs = output.flatMap(({ content }) => objectsIn(content).flatMap(logprobsOf))
  return {
    id: stringIn(answer.id),
    model: stringIn(answer.model),
    candidates: [
      {
        parts,
        stop_reason: readStop(answer, written),
        stop_sequence: undefined,
        logprobs: logprobs.length > 0 ? logprobs : undefined,
      },
    ],
    usage: inFull(readUsage(answer)),
  }
}

/** Whether a response, or the event of one, has items other than text and thinking, such as an image. */
export const hasOtherItems = (answer: JsonObject): boolean =>
  [objectIn(answer.item), ...objectsIn(responseIn(answer).output)].some(
    ({ type = 'message' }) => type !== 'message' && type !== 'reasoning',
  )

/** The parts of an item. @param made_id the id of a tool call that has none */
export function partsOf(item: JsonObject, made_id: string): Part[] {
  if (item.type === 'message') return objectsIn(item.content).flatMap(readContent)
  if (item.type === 'reasoning') return readReasoning(item)
  if (item.type !== 'function_call') return []
  const parsed = readArguments(item.arguments)
  // Without arguments that are a JSON object the call was cut off, or is nonsense.
  if (!parsed) return []
  const { id, name } = calledBy(item, made_id)
  return [{ kind: 'tool_call', id, name, arguments: parsed }]
}

/** The id and the name of a tool call. @param made_id as for `partsOf` */
export const calledBy = (item: JsonObject, made_id: string): { id: string; name: string } => ({
  id: stringIn(item.call_id) || made_id,
  name: stringIn(item.name) ?? '',
})

function readContent(part: JsonObject): Part[] {
  const refused = stringIn(part.refusal)
  if (part.type === 'refusal' && refused) return [{ kind: 'text', text: refused, is_refusal: true }]
  const text = stringIn(part.text)
  return part.type === 'output_text' && text ? [{ kind: 'text', text }] : []
}

/** The log probabilities of a text, or of a piece of one. */
export const logprobsOf = ({ logprobs }: JsonObject): TokenLogprob[] =>
  readLogprobs({ content: logprobs ?? null }) ?? []

/**
 * Its text is for people, and its encrypted form, by which alone the model knows it again, a part of its own: not every
 * client sends back text that was thought.
 */
function readReasoning(item: JsonObject): Part[] {
  const summary = objectsIn(item.summary)
  const text = (summary.length > 0 ? summary : objectsIn(item.content))
    .map((part) => stringIn(part.text) ?? '')
    .join('\n\n')
  return [...(text === '' ? [] : [{ kind: 'thinking', text } as const]), ...encryptedOf(item)]
}

/** An item's encrypted reasoning. */
export function encryptedOf(item: JsonObject): Extract<Part, { kind: 'redacted_thinking' }>[] {
  const encrypted = item.type === 'reasoning' ? stringIn(item.encrypted_content) : undefined
  return encrypted ? [{ kind: 'redacted_thinking', signature: ownSignature(encrypted) }] : []
}

/** The facts that decide, with its status, why a response ended. */
interface Written {
  readonly refused: boolean
  readonly calls: number
  /** A call had no arguments that can be read. */
  readonly malformed: boolean
}

const INCOMPLETE: Readonly<Record<string, StopReason>> = {
  max_output_tokens: 'length',
  content_filter: 'safety',
}

/** Why a response ended. */
export function readStop(response: JsonObject, { refused, calls, malformed }: Written): StopReason {
  const { status, incomplete_details } = response
  const { reason } = objectIn(incomplete_details)
  if (status === 'incomplete' || (status === undefined && reason !== undefined))
    return lookUp(INCOMPLETE, reason ?? null) ?? 'other'
  if ((status ?? 'completed') !== 'completed') return 'other'
  if (malformed) return 'malformed'
  if (refused) return 'refusal'
  return calls > 0 ? 'tool_use' : 'stop'
}
