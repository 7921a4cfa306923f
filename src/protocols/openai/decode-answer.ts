// Owns the reading of a whole chat completion into the canonical form.
import {
  type Answer,
  type ConversationAnswer,
  madeCallId,
  type Part,
  parseArguments,
  type StopReason,
} from '../canonical.ts'
import { type JsonObject, objectIn, objectsIn, stringIn } from '../wire/json.ts'
import { readLogprobs } from './logprobs.ts'
import { readReasoning, readToolSignature } from './reasoning.ts'
import { readStop } from './stop-reasons.ts'
import { readUsage } from './usage.ts'

/**
 * A provider's whole answer. What is missing in it is taken for empty.
 * @param call_id the gateway's id of the call, from which ids are made for tool calls that have none
 */
export function decodeAnswer(body: JsonObject, call_id: string): ConversationAnswer {
  const [first, ...rest] = objectsIn(body.choices).map((choice, index) =>
    readChoice(choice, (position) => madeCallId(call_id, index, position)),
  )
  return {
    id: stringIn(body.id),
    model: stringIn(body.model),
    answers: [first ?? EMPTY, ...rest],
    usage: readUsage(body),
  }
}

const EMPTY: Answer = { parts: [], stop_reason: 'other', stop_sequence: undefined, logprobs: undefined }

function readChoice(choice: JsonObject, madeId: (position: number) => string): Answer {
  const message = objectIn(choice.message)
  const content = stringIn(message.content)
  const refused = stringIn(message.refusal)
  const calls = objectsIn(message.tool_calls)
  const read = calls.map((call, index) => readCall(call, madeId(index)))
  const seal = readToolSignature(message)
  const parts: Part[] = [
    ...readReasoning(message),
    ...(content ? [{ kind: 'text', text: content, signature: seal } as const] : []),
    ...(refused ? [{ kind: 'text', text: refused } as const] : []),
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

/** Undefined for a call whose arguments are no JSON: it was cut short, or the model wrote nonsense. */
function readCall(call: JsonObject, made_id: string): Part | undefined {
  const called = objectIn(call.function)
  const parsed = parseArguments(stringIn(called.arguments) ?? '')
  return (
    parsed && {
      kind: 'tool_call',
      id: stringIn(call.id) || made_id,
      name: stringIn(called.name) ?? '',
      arguments: parsed,
      signature: readToolSignature(call),
    }
  )
}

/** Some servers say `stop` where they call tools, and OpenAI says it where the model refused. */
function stopReason(finish: StopReason, refused: boolean, malformed: boolean, calls: boolean): StopReason {
  if (finish === 'length' || finish === 'safety') return finish
  if (malformed) return 'malformed'
  if (refused) return 'refusal'
  return calls && finish !== 'other' ? 'tool_use' : finish
}
