// Owns the reading of a whole native answer into the canonical form.
import { type Answer, type ConversationAnswer, madeCallId, type Part } from '../canonical.ts'
import { type JsonObject, objectIn, objectsIn, stringIn } from '../wire/json.ts'
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
    readCandidate(candidate, (position) => madeCallId(call_id, index, position)),
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

function readCandidate(candidate: JsonObject, madeId: (position: number) => string): Answer {
  const parts: Part[] = []
  let calls = 0
  for (const given of objectsIn(objectIn(candidate.content).parts)) {
    const part = readAnswerPart(given, madeId(calls))
    if (part) parts.push(part)
    if (part?.kind === 'tool_call') calls++
  }
  return {
    parts,
    stop_reason: readStop(stringIn(candidate.finishReason) ?? '', calls > 0),
    stop_sequence: undefined,
    logprobs: readLogprobs(candidate.logprobsResult),
  }
}
