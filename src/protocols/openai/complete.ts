// Missing fields of chat completions from lenient servers, filled in: OpenAI's own clients throw without them.
import type { AnswerContext } from '../canonical/answer.ts'
import { type Completer, fillRequired, hasRequired, withRequired } from '../completing.ts'
import { type ByteString, decodeByteString } from '../wire/byte-string.ts'
import { type JsonObject, jsonByteString, parseObject } from '../wire/json.ts'
import { hasValue, quoted } from '../wire/json-text.ts'
import { DONE } from '../wire/sse.ts'
import { completeChoices, StreamedChoices } from './complete-choices.ts'

const CHOICES = quoted('choices')
const DELTA = quoted('delta')
const TOOL_CALLS = quoted('tool_calls')
const FINISH = quoted('finish_reason')
/** The text before the index of a chunk's first choice, as OpenAI writes it. */
const FIRST_CHOICE = /"choices"\s*:\s*\[\s*\{\s*"index"\s*:\s*(?=\d\s*,)/y
/** From that index on, a further piece of one call's arguments, as OpenAI writes it. */
const FURTHER_PIECE =
  /\d\s*,\s*"delta"\s*:\s*\{\s*"tool_calls"\s*:\s*\[\s*\{\s*"index"\s*:\s*(\d+)\s*,\s*"function"\s*:\s*\{\s*"arguments"\s*:\s*"/y
/** From that index on, an empty role, which some lenient servers send in every chunk. */
const EMPTY_ROLE = /\d\s*,\s*"delta"\s*:\s*\{\s*"role"\s*:\s*""/y
/** Keys of a piece that may begin another call. */
const INDEX = quoted('index')
const NAME = quoted('name')
const ID = quoted('id')
const ZERO = 48

/** The fields that every answer has beside its choices, except the model: an answer without a model name stays without. */
const headOf = ({ id, created_s }: Pick<AnswerContext, 'id' | 'created_s'>, object: string): JsonObject => ({
  id: `chatcmpl-${id}`,
  object,
  created: created_s,
})

const HEAD: JsonObject = headOf({ id: '', created_s: 0 }, '')

/** Completes the chunks of one stream. Nearly all are recognised by their first bytes and pass unread. */
class CompletedChunks {
  readonly #choices: StreamedChoices
  /** The fields of a complete chunk, with their last values. */
  #head: JsonObject
  /** The beginning of the last complete chunk, up to the index of its choice. */
  #beginning: ByteString | undefined

  constructor(context: AnswerContext) {
    this.#choices = new StreamedChoices(context.id)
    this.#head = { ...headOf(context, 'chat.completion.chunk'), choices: [] }
  }

  complete(data: ByteString): ByteString {
    if (this.#passes(data)) return data
    if (data === DONE) return this.#ending() + data
    const original = parseObject(decodeByteString(data))
    if (original === undefined) return data
    const completed = this.#choices.complete(withRequired(original, this.#head))
    for (const key of ['id', 'object', 'created']) this.#head[key] = completed[key] ?? null
    if (completed === original) {
      this.#beginning = beginningOf(data, this.#head)
      return data
    }
    return jsonByteString(completed)
  }

  #passes(data: ByteString): boolean {
    const beginning = this.#beginning
    if (beginning === undefined || !data.startsWith(beginning)) return false
    const index = data.charCodeAt(beginning.length) - ZERO
    if (!this.#choices.isOpen(index) || hasValue(data, FINISH)) return false
    EMPTY_ROLE.lastIndex = beginning.length
    if (EMPTY_ROLE.test(data)) return false
    if (!hasValue(data, TOOL_CALLS)) {
      if (!hasValue(data, DELTA)) return false
      this.#choices.pass(index)
      return true
    }
    FURTHER_PIECE.lastIndex = beginning.length
    const [, call] = FURTHER_PIECE.exec(data) ?? []
    const from = FURTHER_PIECE.lastIndex
    if (call === undefined || [INDEX, NAME, ID].some((key) => data.includes(key, from))) return false
    return this.#choices.passCall(index, Number(call))
  }

  /** An event that ends the choices which have no end, inserted before `[DONE]`. */
  #ending(): string {
    const choices = this.#choices.unended.map(({ index, finish_reason }) => ({
      index,
      delta: {},
      finish_reason,
    }))
    return choices.length === 0 ? '' : `${jsonByteString({ ...this.#head, choices })}\n\ndata: `
  }
}

/** @returns undefined unless all required fields precede the choices */
function beginningOf(data: ByteString, head: JsonObject): ByteString | undefined {
  const at = data.indexOf(CHOICES)
  FIRST_CHOICE.lastIndex = at
  if (at < 0 || !FIRST_CHOICE.test(data)) return undefined
  const before = parseObject(decodeByteString(`${data.slice(0, at)}${CHOICES}:[]}`))
  return before && hasRequired(before, head) ? data.slice(0, FIRST_CHOICE.lastIndex) : undefined
}

export const completing: Completer = {
  whole(answer, context) {
    // Nearly every answer is complete, so the defaults are only created on demand.
    const headed = hasRequired(answer, HEAD)
      ? answer
      : fillRequired(answer, headOf(context, 'chat.completion'))
    return completeChoices(headed, context.id)
  },
  stream(context) {
    const chunks = new CompletedChunks(context)
    return (data) => chunks.complete(data)
  },
}
