// Decoding of a whole native answer into the canonical form.
import { UpstreamFault } from '../../domain/errors.ts'
import { inFull } from '../../domain/usage.ts'
import type { Candidate, ConversationAnswer } from '../canonical/answer.ts'
import { type MediaPart, newCallId, type Part, readArguments, type Signature } from '../canonical/parts.ts'
import { type Json, type JsonObject, objectIn, objectsIn, stringIn } from '../wire/json.ts'
import { readLogprobs } from './logprobs.ts'
import { readSignature } from './signature.ts'
import { isFailure, readStop } from './stop-reasons.ts'
import { readUsage } from './usage.ts'

/**
 * Decodes one part of a provider's answer; undefined for kinds that no other protocol has.
 * @throws UpstreamFault for a tool call without a name
 */
export function readAnswerPart(
  part: JsonObject,
  made_call_id: string,
): Extract<Part, { kind: 'text' | 'thinking' | 'tool_call' }> | MediaPart | undefined {
  const packed = stringIn(part.thoughtSignature)
  const signature = packed ? readSignature(packed).signature : undefined
  if (part.functionCall !== undefined) {
    const called = objectIn(part.functionCall)
    const name = stringIn(called.name)
    if (!name) throw new UpstreamFault('the upstream sent a tool call without a name')
    return {
      kind: 'tool_call',
      id: stringIn(called.id) || made_call_id,
      name,
      arguments: readArguments(called.args) ?? {},
      signature,
    }
  }
  const image = readImage(part, signature)
  if (image) return image
  const text = stringIn(part.text)
  if (text === undefined && signature === undefined) return undefined
  return { kind: part.thought === true ? 'thinking' : 'text', text: text ?? '', signature }
}

/** An image. Drafts, which are part of the thoughts, are skipped. */
function readImage(
  { inlineData, thought }: JsonObject,
  signature: Signature | undefined,
): MediaPart | undefined {
  const { mimeType, data } = objectIn(inlineData)
  const mime_type = stringIn(mimeType)
  if (!mime_type?.startsWith('image/') || thought === true) return undefined
  return { kind: 'image', source: { by: 'data', mime_type, data: stringIn(data) ?? '' }, at: '', signature }
}

/**
 * Decodes a provider's whole answer. Missing fields count as empty; a blocked prompt ends with `safety`.
 * @throws UpstreamFault for a tool call that the provider could not parse
 */
export function decodeAnswer(answer: JsonObject, call_id: string): ConversationAnswer {
  const [first, ...rest] = objectsIn(answer.candidates).map((candidate, index) =>
    readCandidate(candidate, (position) => newCallId(call_id, index, position)),
  )
  return {
    id: stringIn(answer.responseId),
    model: stringIn(answer.modelVersion),
    candidates: [first ?? readBlocked(answer.promptFeedback), ...rest],
    usage: inFull(readUsage(answer)),
  }
}

const readBlocked = (feedback: Json | undefined): Candidate => ({
  parts: [],
  stop_reason: objectIn(feedback).blockReason === undefined ? 'other' : 'safety',
  stop_sequence: undefined,
  logprobs: undefined,
})

/** @throws UpstreamFault for a tool call that the provider could not parse */
function readCandidate(candidate: JsonObject, madeId: (position: number) => string): Candidate {
  const finish_reason = stringIn(candidate.finishReason)
  if (isFailure(finish_reason)) throw new UpstreamFault(`the upstream ended its answer by ${finish_reason}`)
  const parts: Part[] = []
  let calls = 0
  for (const raw of partsOf(candidate)) {
    const part = readAnswerPart(raw, madeId(calls))
    if (part) parts.push(part)
    if (part?.kind === 'tool_call') calls++
  }
  return {
    parts,
    stop_reason: readStop(finish_reason || DEFAULT_FINISH, calls > 0),
    stop_sequence: undefined,
    logprobs: readLogprobs(candidate.logprobsResult),
  }
}

/** The default for an answer without a finish reason. */
const DEFAULT_FINISH = 'STOP'

export const partsOf = ({ content }: JsonObject): readonly JsonObject[] => objectsIn(objectIn(content).parts)
