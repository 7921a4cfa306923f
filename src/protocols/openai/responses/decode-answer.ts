// Decoding of a whole response into the canonical form.
// https://platform.openai.com/docs/api-reference/responses/object
import { inFull } from '../../../domain/usage.ts'
import type { ConversationAnswer, StopReason, TokenLogprob } from '../../canonical/answer.ts'
import { newCallId, type Part, readArguments } from '../../canonical/parts.ts'
import { type JsonObject, lookUp, objectIn, objectsIn, stringIn } from '../../wire/json.ts'
import { readLogprobs } from '../logprobs.ts'
import { completeOutput } from './complete.ts'
import { ownSignature } from './encrypted.ts'
import { readUsage, responseIn } from './usage.ts'

/**
 * Decodes a provider's whole answer: one candidate. Missing fields count as empty. Items of tools that the provider runs are left out,
 * since translation requests none.
 */
export function decodeAnswer(answer: JsonObject, call_id: string): ConversationAnswer {
  const output = objectsIn(completeOutput(answer, call_id).output)
  const parts = output.flatMap((item, index) => partsOf(item, newCallId(call_id, 0, index)))
  const function_calls = output.filter(({ type }) => type === 'function_call').length
  const written = {
    refused: parts.some((part) => part.kind === 'text' && part.is_refusal),
    calls: function_calls,
    malformed: function_calls > parts.filter(({ kind }) => kind === 'tool_call').length,
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

/** Whether a response or an event has items other than text and thinking, such as an image. */
export const hasOtherItems = (answer: JsonObject): boolean =>
  [objectIn(answer.item), ...objectsIn(responseIn(answer).output)].some(
    ({ type = 'message' }) => type !== 'message' && type !== 'reasoning',
  )

/** Decodes an item. @param made_id the id for a tool call without one */
export function partsOf(item: JsonObject, made_id: string): Part[] {
  if (item.type === 'message') return objectsIn(item.content).flatMap(readContent)
  if (item.type === 'reasoning') return readReasoning(item)
  if (item.type !== 'function_call') return []
  const parsed = readArguments(item.arguments)
  // Arguments that are not a JSON object were truncated, or are invalid.
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
 * Decodes reasoning. Its readable text and its encrypted form become separate parts: the model only reads the encrypted form, and not
 * every client sends back text of thinking.
 */
function readReasoning(item: JsonObject): Part[] {
  const summary = objectsIn(item.summary)
  const text = (summary.length > 0 ? summary : objectsIn(item.content))
    .map((part) => stringIn(part.text) ?? '')
    .join('\n\n')
  return [...(text === '' ? [] : [{ kind: 'thinking', text } as const]), ...encryptedOf(item)]
}

/** The encrypted reasoning of an item. */
export function encryptedOf(item: JsonObject): Extract<Part, { kind: 'redacted_thinking' }>[] {
  const encrypted = item.type === 'reasoning' ? stringIn(item.encrypted_content) : undefined
  return encrypted ? [{ kind: 'redacted_thinking', signature: ownSignature(encrypted) }] : []
}

/** The output's facts that decide the stop reason, together with the response's status. */
interface OutputFacts {
  readonly refused: boolean
  readonly calls: number
  /** A call has invalid arguments. */
  readonly malformed: boolean
}

const INCOMPLETE: Readonly<Record<string, StopReason>> = {
  max_output_tokens: 'length',
  content_filter: 'safety',
}

/** The canonical stop reason of a response. */
export function readStop(response: JsonObject, { refused, calls, malformed }: OutputFacts): StopReason {
  const { status, incomplete_details } = response
  const { reason } = objectIn(incomplete_details)
  if (status === 'incomplete' || (status === undefined && reason !== undefined))
    return lookUp(INCOMPLETE, reason ?? null) ?? 'other'
  if ((status ?? 'completed') !== 'completed') return 'other'
  if (malformed) return 'malformed'
  if (refused) return 'refusal'
  return calls > 0 ? 'tool_use' : 'stop'
}
