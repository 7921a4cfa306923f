// Choices of lenient servers, completed: their index, role, delta and finish_reason, and the index and id of tool calls.
import { UpstreamFault } from '../../domain/errors.ts'
import { madeCallId } from '../canonical/parts.ts'
import {
  changedObjects,
  countIn,
  hasItems,
  isObject,
  type JsonObject,
  objectIn,
  objectsIn,
  stringIn,
} from '../wire/json.ts'
import { CallNumbers, typeOf, withText } from './call-numbers.ts'

interface Candidate {
  readonly calls: CallNumbers
  has_role: boolean
  has_calls: boolean
  ended: boolean
}

/** The choices of one stream. */
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

  /** Whether a candidate has a call with this index of its own. */
  hasCall(index: number, call: number): boolean {
    return this.#candidates.get(index)?.calls.isKnown(call) === true
  }

  /** The candidates that have not ended, with the reason that an end would have. @throws UpstreamFault for a call without a name */
  get unended(): { index: number; finish_reason: string }[] {
    return [...this.#candidates].flatMap(([index, { calls, ended, has_calls }]) => {
      if (ended) return []
      calls.assertNamed()
      return [{ index, finish_reason: has_calls ? 'tool_calls' : 'stop' }]
    })
  }

  /** A chunk with complete choices; the very same where nothing is missing. @throws UpstreamFault for ambiguous calls */
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
    const candidate = known ?? { calls: new CallNumbers(), has_role: false, has_calls: false, ended: false }
    if (!known) this.#candidates.set(index, candidate)
    const own_delta = choice.delta ?? choice.message
    const delta = this.#completeDelta(candidate, index, objectIn(own_delta))
    const finish_reason = stringIn(choice.finish_reason) || undefined
    if (candidate.ended && own_index === undefined && (finish_reason || hasOutput(delta)))
      throw new UpstreamFault('the upstream sent several answers without their index')
    if (finish_reason) {
      candidate.calls.assertNamed()
      candidate.ended = true
    }
    if (own_index === index && delta === choice.delta) return choice
    return { ...choice, index, delta }
  }

  #completeDelta(candidate: Candidate, index: number, original: JsonObject): JsonObject {
    const has_role = candidate.has_role || typeof original.role === 'string'
    candidate.has_role = true
    const delta = has_role ? original : { ...original, role: 'assistant' }
    if (!hasItems(delta.tool_calls)) return delta
    candidate.has_calls = true
    const calls = objectsIn(delta.tool_calls)
    const completed = calls.map((call, at) => candidate.calls.complete(call, at, [this.#call_id, index]))
    if (completed.every((call, at) => call === calls[at])) return delta
    return { ...delta, tool_calls: completed.flatMap((call) => call ?? []) }
  }
}

const hasOutput = ({ content, tool_calls }: JsonObject): boolean =>
  hasItems(tool_calls) || (content !== undefined && content !== null && content !== '')

/**
 * A whole answer with complete choices; the very same where nothing is missing.
 * @param call_id as for streams
 * @throws UpstreamFault for a tool call without a name
 */
export function completeChoices(answer: JsonObject, call_id: string): JsonObject {
  const choices = objectsIn(answer.choices)
  const completed = changedObjects(choices, completeChoice, call_id)
  return completed === choices ? answer : { ...answer, choices: [...completed] }
}

function completeChoice(choice: JsonObject, position: number, call_id: string): JsonObject {
  const index = countIn(choice.index) ?? position
  const original = objectIn(choice.message)
  const calls = objectsIn(original.tool_calls)
  const completed =
    calls.length === 0 ? calls : changedObjects(calls, completeCall, { call_id, choice: position })
  const is_same = completed === calls
  const has_role = typeof original.role === 'string'
  const message =
    is_same && has_role
      ? original
      : {
          ...original,
          role: has_role ? (original.role ?? null) : 'assistant',
          ...(is_same ? {} : { tool_calls: [...completed] }),
        }
  const finish_reason = stringIn(choice.finish_reason) || (calls.length > 0 ? 'tool_calls' : 'stop')
  if (message === choice.message && index === choice.index && finish_reason === choice.finish_reason)
    return choice
  return { ...choice, index, message, finish_reason }
}

function completeCall(
  call: JsonObject,
  position: number,
  { call_id, choice }: { call_id: string; choice: number },
): JsonObject {
  const { name } = objectIn(call.function ?? call.custom)
  if (!stringIn(name)) throw new UpstreamFault('the upstream sent a tool call without a name')
  const original = withText(call)
  if (original === call && stringIn(call.id) && typeof call.type === 'string') return call
  return {
    ...original,
    id: stringIn(call.id) || madeCallId(call_id, choice, position),
    type: call.type ?? typeOf(call),
  }
}
