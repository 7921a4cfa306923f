// A whole native answer, read into the canonical form.
import { inFull } from '../../domain/usage.ts'
import type { Candidate, ConversationAnswer } from '../canonical/answer.ts'
import { madeCallId, type Part } from '../canonical/parts.ts'
import {
  Count,
  eachUncheckedIn,
  Fields,
  List,
  optional,
  Text,
  type Unchecked,
  uncheckedIn,
} from '../forms.ts'
import { type Json, type JsonObject, stringIn } from '../wire/json.ts'
import { LogprobsResult, readLogprobs } from './logprobs.ts'
import { AnswerPart, readAnswerPart } from './parts.ts'
import { readStop } from './stop-reasons.ts'
import { readUsage, UsageMetadata } from './usage.ts'

export const AnswerContent = Fields({ parts: optional(List(AnswerPart)) })
export const AnswerCandidate = Fields({
  index: optional(Count),
  content: optional(AnswerContent),
  finishReason: optional(Text),
  logprobsResult: optional(LogprobsResult),
})
export const PromptFeedback = Fields({ blockReason: optional(Text) })
/** A whole answer, and also each event of a streamed one. */
export const GenerateContentResponse = Fields({
  candidates: optional(List(AnswerCandidate)),
  promptFeedback: optional(PromptFeedback),
  usageMetadata: optional(UsageMetadata),
  modelVersion: optional(Text),
  responseId: optional(Text),
})

/**
 * A provider's whole answer. Missing fields are read as empty; a prompt that was blocked ends with `safety`.
 * @param call_id the gateway's id of the call, from which ids are made for tool calls that have none
 */
export function decodeAnswer(body: JsonObject, call_id: string): ConversationAnswer {
  const answer = uncheckedIn<typeof GenerateContentResponse>(body)
  const [first, ...rest] = eachUncheckedIn<typeof AnswerCandidate>(answer.candidates).map(
    (candidate, index) => readCandidate(candidate, (position) => madeCallId(call_id, index, position)),
  )
  return {
    id: stringIn(answer.responseId),
    model: stringIn(answer.modelVersion),
    candidates: [first ?? readBlocked(answer.promptFeedback), ...rest],
    usage: inFull(readUsage(body)),
  }
}

const readBlocked = (feedback: Json | undefined): Candidate => ({
  parts: [],
  stop_reason: uncheckedIn<typeof PromptFeedback>(feedback).blockReason === undefined ? 'other' : 'safety',
  stop_sequence: undefined,
  logprobs: undefined,
})

function readCandidate(
  candidate: Unchecked<typeof AnswerCandidate>,
  madeId: (position: number) => string,
): Candidate {
  const parts: Part[] = []
  let calls = 0
  for (const given of partsOf(candidate)) {
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

/** The parts of a candidate's content. */
export const partsOf = ({ content }: Unchecked<typeof AnswerCandidate>): Unchecked<typeof AnswerPart>[] =>
  eachUncheckedIn<typeof AnswerPart>(uncheckedIn<typeof AnswerContent>(content).parts)
