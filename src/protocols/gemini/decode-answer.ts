// Owns the reading of a whole native answer into the canonical form.
import { type Answer, type ConversationAnswer, madeCallId } from '../canonical.ts'
import { objectIn, objectsIn, stringIn } from '../json.ts'
import type { JsonObject } from '../protocol.ts'
import { readLogprobs } from './logprobs.ts'
import { readAnswerPart } from './parts.ts'
import { readStop } from './stop-reasons.ts'
import { readUsage } from './usage.ts'

/**
 * A provider's whole answer. What is missing in it is taken for empty; a prompt that was blocked ends with `safety`.
 * @param call_id the gateway's id of the call, from which ids are made for tool calls that have none
 */
export function decodeAnswer(body: JsonObject, call_id: string): ConversationAnswer {
  const [first, ...rest] = objectsIn(body.candidates).map((candidate, index) =>
    readCandidate(candidate, index === 0 ? call_id : `${call_id}_${index}`),
  )
  return {
    id: stringIn(body.responseId),
    model: stringIn(body.modelVersion),
    answers: [first ?? readBlocked(body), ...rest],
    usage: readUsage(body),
  }
}

const readBlocked = (body: JsonObject): Answer => ({
  parts: [],
  stop_reason: objectIn(body.promptFeedback).blockReason === undefined ? 'other' : 'safety',
  stop_sequence: undefined,
  logprobs: undefined,
})

function readCandidate(candidate: JsonObject, call_id: string): Answer {
  const given = objectsIn(objectIn(candidate.content).parts)
  const parts = given.flatMap((part, index) => readAnswerPart(part, madeCallId(call_id, index)) ?? [])
  const calls_tools = parts.some((part) => part.kind === 'tool_call')
  return {
    parts,
    stop_reason: readStop(stringIn(candidate.finishReason) ?? '', calls_tools),
    stop_sequence: undefined,
    logprobs: readLogprobs(candidate.logprobsResult),
  }
}
