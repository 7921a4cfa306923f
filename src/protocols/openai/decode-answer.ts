// Decoding of a whole chat completion into the canonical form.
import { inFull } from '../../domain/usage.ts'
import type { Candidate, ConversationAnswer, StopReason } from '../canonical/answer.ts'
import { type Part, readArguments } from '../canonical/parts.ts'
import { type JsonObject, objectIn, objectsIn, stringIn } from '../wire/json.ts'
import { completeChoices } from './complete-choices.ts'
import { readLogprobs } from './logprobs.ts'
import { contentText, readGoogleSignature, readImages, readReasoning } from './reasoning.ts'
import { readStop } from './stop-reasons.ts'
import { readUsage } from './usage.ts'

/**
 * Decodes a provider's whole answer. Missing fields count as empty.
 * @throws UpstreamFault for a tool call without a name
 */
export function decodeAnswer(answer: JsonObject, call_id: string): ConversationAnswer {
  const [first, ...rest] = objectsIn(completeChoices(answer, call_id).choices).map(readChoice)
  return {
    id: stringIn(answer.id),
    model: stringIn(answer.model),
    candidates: [first ?? EMPTY, ...rest],
    usage: inFull(readUsage(answer)),
  }
}

const EMPTY: Candidate = { parts: [], stop_reason: 'other', stop_sequence: undefined, logprobs: undefined }

function readChoice(choice: JsonObject): Candidate {
  const message = objectIn(choice.message)
  const content = contentText(message.content)
  const refused = stringIn(message.refusal)
  const calls = objectsIn(message.tool_calls)
  const read = calls.map(readCall)
  const signature = readGoogleSignature(message)
  const parts: Part[] = [
    ...readReasoning(message),
    ...(content ? [{ kind: 'text', text: content, signature } as const] : []),
    ...(refused ? [{ kind: 'text', text: refused, is_refusal: true } as const] : []),
    ...readImages(message, ''),
    ...read.flatMap((call) => call ?? []),
  ]
  const finish = readStop(stringIn(choice.finish_reason) ?? '')
  return {
    parts,
    stop_reason: stopReason(finish, Boolean(refused), read.includes(undefined), calls.length > 0),
    stop_sequence: undefined,
    logprobs: readLogprobs(choice.logprobs),
  }
}

/** Undefined for a call whose arguments are not a JSON object: they were truncated, or are invalid. */
function readCall(call: JsonObject): Part | undefined {
  const called = objectIn(call.function)
  const parsed = readArguments(called.arguments)
  return (
    parsed && {
      kind: 'tool_call',
      id: stringIn(call.id) ?? '',
      name: stringIn(called.name) ?? '',
      arguments: parsed,
      signature: readGoogleSignature(call),
    }
  )
}

/** Some servers send `stop` for tool calls, and OpenAI sends it for a refusal. */
function stopReason(finish: StopReason, refused: boolean, malformed: boolean, calls: boolean): StopReason {
  if (finish === 'length' || finish === 'safety') return finish
  if (malformed) return 'malformed'
  if (refused) return 'refusal'
  return calls && finish !== 'other' ? 'tool_use' : finish
}
