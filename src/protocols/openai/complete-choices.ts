// Completion of choices from lenient servers: their index, role, delta and finish_reason, and the index and id of tool calls.
import { UpstreamFault } from '../../domain/errors.ts'
import { newCallId } from '../canonical/parts.ts'
import {
  changedObjects,
  countIn,
  hasItems,
  isObject,
  type Json,
  type JsonObject,
  objectIn,
  objectsIn,
  stringIn,
} from '../wire/json.ts'
import { CallNumbers, typeOf, withText } from './call-numbers.ts'
import { messageIn } from './output-fields.ts'
import { isFailure, ownStop } from './stop-reasons.ts'

interface Candidate {
  readonly calls: CallNumbers
  has_role: boolean
  has_calls: boolean
  /** Whether any delta had content. */
  has_content: boolean
  ended: boolean
}

/** Completes the choices of one stream. */
export class StreamedChoices {
  readonly #candidates = new Map<number, Candidate>()
  readonly #call_id: string

  constructor(call_id: string) {
    this.#call_id = call_id
  }

  /** Whether a candidate has started and not ended. */
  isOpen(index: number): boolean {
    return this.#candidates.get(index)?.ended === false
  }

  /** Records a delta that passes unread. */
  pass(index: number): void {
    const candidate = this.#candidates.get(index)
    if (candidate) candidate.has_content = true
  }

  /** Lets a piece of a call pass unread, as CallNumbers.passUnread. */
  passCall(index: number, call: number): boolean {
    return this.#candidates.get(index)?.calls.passUnread(call) === true
  }

  /** The candidates without an end, with the finish_reason to send for each. @throws UpstreamFault for a call without a name */
  get unended(): { index: number; finish_reason: string }[] {
    return [...this.#candidates].flatMap(([index, { calls, ended, has_calls }]) => {
      if (ended) return []
      calls.assertNamed()
      return [{ index, finish_reason: has_calls ? 'tool_calls' : 'stop' }]
    })
  }

  /** Completes the choices of a chunk; returns the same chunk if nothing is missing. @throws UpstreamFault for ambiguous calls */
  complete(chunk: JsonObject): JsonObject {
    const { choices } = chunk
    if (!Array.isArray(choices)) return chunk
    let is_same = true
    const completed = choices.map((choice, position) => {
      if (!isObject(choice)) return choice
      const completed_choice = this.#completeChoice(choice, position)
      is_same &&= completed_choice === choice
      return completed_choice
    })
    return is_same ? chunk : { ...chunk, choices: completed }
  }

  #completeChoice(choice: JsonObject, position: number): JsonObject {
    const own_index = countIn(choice.index)
    const index = own_index ?? position
    const known = this.#candidates.get(index)
    const candidate = known ?? newCandidate()
    if (!known) this.#candidates.set(index, candidate)
    candidate.has_content ||= hasContent(choice.delta)
    // MiniMax repeats the whole answer as the message of its last chunk (https://www.minimax.io/platform/document/ChatCompletion_v2).
    const own_delta = choice.delta ?? (candidate.has_content ? undefined : messageIn(choice))
    const delta = this.#completeDelta(candidate, index, objectIn(own_delta))
    const finish_reason = ownStop(choice.finish_reason)
    if (candidate.ended && own_index === undefined && (finish_reason || hasOutput(delta)))
      throw new UpstreamFault('the upstream sent several answers without their index')
    if (finish_reason) {
      candidate.calls.assertNamed()
      candidate.ended = true
    }
    const reported = choice.finish_reason ?? undefined
    if (own_index === index && delta === choice.delta && finish_reason === reported) return choice
    return {
      ...choice,
      index,
      delta,
      ...(finish_reason === reported ? {} : { finish_reason: finish_reason ?? null }),
    }
  }

  #completeDelta(candidate: Candidate, index: number, original: JsonObject): JsonObject {
    const delta = withRole(original, candidate.has_role)
    candidate.has_role = true
    if (!hasItems(delta.tool_calls)) return delta
    candidate.has_calls = true
    const calls = objectsIn(delta.tool_calls)
    const completed = calls.map((call, at) => candidate.calls.complete(call, at, [this.#call_id, index]))
    if (completed.every((call, at) => call === calls[at])) return delta
    return { ...delta, tool_calls: completed.flatMap((call) => call ?? []) }
  }
}

/** Sends the role once. An empty role counts as missing: https://github.com/MiniMax-AI/MiniMax-M2.5/issues/2. */
function withRole(delta: JsonObject, had_role: boolean): JsonObject {
  if (delta.role === '' && had_role) {
    const { role: _, ...rest } = delta
    return rest
  }
  return had_role || stringIn(delta.role) ? delta : { ...delta, role: 'assistant' }
}

const newCandidate = (): Candidate => ({
  calls: new CallNumbers(),
  has_role: false,
  has_calls: false,
  has_content: false,
  ended: false,
})

/** Whether a delta has more than a role. */
const hasContent = (delta: Json | undefined): boolean =>
  Object.entries(objectIn(delta)).some(
    ([name, value]) => name !== 'role' && (Array.isArray(value) ? value.length > 0 : Boolean(value)),
  )

const hasOutput = ({ content, tool_calls }: JsonObject): boolean =>
  hasItems(tool_calls) || (content !== undefined && content !== null && content !== '')

/**
 * Completes the choices of a whole answer; returns the same answer if nothing is missing.
 * @param call_id as for streams
 * @throws UpstreamFault for a tool call without a name, and for an interrupted answer
 */
export function completeChoices(answer: JsonObject, call_id: string): JsonObject {
  const choices = objectsIn(answer.choices)
  const completed = changedObjects(choices, completeChoice, call_id)
  return completed === choices ? answer : { ...answer, choices: [...completed] }
}

function completeChoice(choice: JsonObject, position: number, call_id: string): JsonObject {
  const index = countIn(choice.index) ?? position
  const original = objectIn(messageIn(choice))
  const calls = objectsIn(original.tool_calls)
  const completed =
    calls.length === 0 ? calls : changedObjects(calls, completeCall, { call_id, choice: position })
  const is_same = completed === calls
  const has_role = Boolean(stringIn(original.role))
  const message =
    is_same && has_role
      ? original
      : {
          ...original,
          role: has_role ? (original.role ?? null) : 'assistant',
          ...(is_same ? {} : { tool_calls: [...completed] }),
        }
  if (isFailure(choice.finish_reason))
    throw new UpstreamFault(`the upstream ended its answer by ${choice.finish_reason}`)
  const finish_reason = ownStop(choice.finish_reason) ?? (calls.length > 0 ? 'tool_calls' : 'stop')
  if (message === choice.message && index === choice.index && finish_reason === choice.finish_reason)
    return choice
  return { ...choice, index, message, finish_reason }
}

/** Adds empty arguments: clients parse the arguments of every call. */
function withArguments(call: JsonObject): JsonObject {
  const called = call.function
  if (!isObject(called) || typeof called.arguments === 'string') return call
  return { ...call, function: { ...called, arguments: '{}' } }
}

function completeCall(
  call: JsonObject,
  position: number,
  { call_id, choice }: { call_id: string; choice: number },
): JsonObject {
  const { name } = objectIn(call.function ?? call.custom)
  if (!stringIn(name)) throw new UpstreamFault('the upstream sent a tool call without a name')
  const original = withArguments(withText(call))
  if (original === call && stringIn(call.id) && typeof call.type === 'string') return call
  return {
    ...original,
    id: stringIn(call.id) || newCallId(call_id, choice, position),
    type: call.type ?? typeOf(call),
  }
}
