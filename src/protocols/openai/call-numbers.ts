// The numbering of the tool calls of one streamed candidate: some servers leave out the index, or use one index for two calls.
import { UpstreamFault } from '../../domain/errors.ts'
import { newCallId } from '../canonical/parts.ts'
import { compact, countIn, isObject, type Json, type JsonObject, objectIn, stringIn } from '../wire/json.ts'
import { JsonProgress } from '../wire/json-progress.ts'

interface Call {
  readonly number: number
  id: string | undefined
  readonly name: string
  readonly json: JsonProgress
}

/** The fields of a piece that identify its call. */
interface Piece {
  readonly index: number | undefined
  readonly id: string | undefined
  readonly name: string | undefined
  /** The arguments, or the input of a custom tool, which is not JSON. */
  readonly text: string
  readonly is_custom: boolean
}

export class CallNumbers {
  /** In the order of their beginnings. */
  readonly #calls: Call[] = []
  /** The newest call for each index. */
  readonly #at = new Map<number, Call>()
  /** Joined pieces of a call whose name has not arrived yet: https://github.com/vercel/ai/issues/14722. */
  #nameless: JsonObject | undefined

  /** Called at the end of the candidate. @throws UpstreamFault for a call without a name */
  assertNamed(): void {
    if (this.#nameless) throw new UpstreamFault('the upstream sent a tool call without a name')
  }

  /** Lets a piece pass unread if clients know its call by the same index. @returns whether they do; the arguments are then no longer tracked */
  passUnread(index: number): boolean {
    const call = this.#at.get(index)
    if (call?.number !== index) return false
    call.json.lose()
    return true
  }

  /**
   * Rewrites a piece as OpenAI sends it: with only the index of its call, and the id, type and name in the first piece alone, because
   * OpenAI's Python SDK concatenates repeated values. A new id with a name, or another name, begins a new call, whatever its index. A piece
   * without a name continues a call, even under a new id: some servers give each piece one
   * (https://github.com/zai-org/GLM-4/issues/194, https://github.com/NousResearch/hermes-agent/pull/106943). All calls have different ids.
   * @param position the piece's position in its list
   * @param made the gateway's id of the call, and the candidate
   * @returns the same object if nothing has to change; undefined for a piece without content
   * @throws UpstreamFault for a call without a name (as `assertNamed`), for another name before the arguments without a new id, and for
   * arguments that continue after their end
   */
  complete(original: JsonObject, position: number, made: readonly [string, number]): JsonObject | undefined {
    const piece = readPiece(original)
    const known = this.#find(piece, position)
    if (known && !beginsCall(known, piece)) return this.#goOn(known, piece, original)
    if (piece.name === undefined && piece.id === undefined && piece.text === '') return undefined
    if (this.#nameless) return this.#join(this.#nameless, original, position, made)
    if (piece.name === undefined) {
      this.#nameless = original
      return undefined
    }
    const is_own = piece.id !== undefined && this.#calls.every((call) => call.id !== piece.id)
    const id = is_own ? piece.id : newCallId(made[0], made[1], this.#calls.length)
    const call = { number: this.#freeNumber(piece), id: piece.id, name: piece.name, json: new JsonProgress() }
    this.#calls.push(call)
    if (piece.index !== undefined) this.#at.set(piece.index, call)
    trackArguments(call, piece)
    const type = stringIn(original.type)
    if (original.index === call.number && original.id === id && type && hasText(original)) return original
    return { ...withText(original), index: call.number, id, type: type || typeOf(original) }
  }

  /** Joins a piece to the nameless call. @throws UpstreamFault if it belongs to another call */
  #join(
    nameless: JsonObject,
    original: JsonObject,
    position: number,
    made: readonly [string, number],
  ): JsonObject | undefined {
    const [before, after] = [readPiece(nameless), readPiece(original)]
    const is_same = before.index === after.index && (after.id ?? before.id) === (before.id ?? after.id)
    if (!is_same || before.is_custom || after.is_custom) this.assertNamed()
    const called = { ...objectIn(original.function), arguments: before.text + after.text }
    const joined = compact({ ...nameless, ...original, id: after.id ?? before.id, function: called })
    this.#nameless = undefined
    return this.complete(joined, position, made)
  }

  #goOn(call: Call, piece: Piece, original: JsonObject): JsonObject {
    call.id ??= piece.id
    trackArguments(call, piece)
    const repeats = piece.id !== undefined || piece.name !== undefined
    if (original.index === call.number && !repeats && hasText(original)) return original
    return { ...(repeats ? withoutIdentity(withText(original)) : withText(original)), index: call.number }
  }

  /** The call that a piece may continue. */
  #find({ index, id, name }: Piece, position: number): Call | undefined {
    const at = index === undefined ? undefined : this.#at.get(index)
    if (at && (id === undefined || at.id === undefined || at.id === id)) return at
    const of_id = id === undefined ? undefined : this.#calls.findLast((call) => call.id === id)
    if (at && name === undefined) return of_id ?? at
    if (index !== undefined) return of_id && (at || name === undefined) ? of_id : undefined
    if (id === undefined && name !== undefined && position > 0) return undefined
    return of_id ?? this.#calls.at(-1)
  }

  #freeNumber({ index }: Piece): number {
    const is_free = index !== undefined && this.#calls.every(({ number }) => number !== index)
    return is_free ? index : Math.max(-1, ...this.#calls.map(({ number }) => number)) + 1
  }
}

/**
 * Whether a piece begins another call than the one with its index or position. Before any arguments, another name without a new id may
 * be the rest of the name (https://github.com/continuedev/continue/pull/5849), or a second call without arguments. OpenAI's Python SDK
 * concatenates the two names, its Node SDK takes the last one.
 *
 * @throws UpstreamFault if this cannot be decided
 */
function beginsCall(known: Call, { id, name, text }: Piece): boolean {
  if (name === undefined) return false
  const has_new_id = id !== undefined && known.id !== undefined && id !== known.id
  if (name !== known.name) {
    if (has_new_id || known.json.has_started) return true
    throw new UpstreamFault('the upstream sent two names of a tool call')
  }
  if (id !== undefined) return known.id === undefined ? known.json.has_started : has_new_id
  return text.trim() !== '' && known.json.is_complete
}

/** Tracks the arguments of a call. @throws UpstreamFault for arguments that continue after their end */
function trackArguments({ json }: Call, { text, is_custom }: Piece): void {
  if (is_custom) {
    if (text !== '') json.lose()
  } else if (!json.add(text))
    throw new UpstreamFault('the upstream continued the arguments of a tool call after their end')
}

function readPiece(original: JsonObject): Piece {
  const is_custom = typeOf(original) === 'custom'
  // https://platform.openai.com/docs/api-reference/chat/create (`custom` of a tool call)
  const { name, arguments: json, input } = objectIn(is_custom ? original.custom : original.function)
  const written = is_custom ? input : json
  return {
    index: countIn(original.index),
    id: stringIn(original.id) || undefined,
    name: stringIn(name) || undefined,
    text: isObject(written) ? JSON.stringify(written) : (stringIn(written) ?? ''),
    is_custom,
  }
}

/** A further piece, without the id and the name of its call. */
function withoutIdentity({ id: _, function: called, custom, ...rest }: JsonObject): JsonObject {
  return compact({ ...rest, function: withoutName(called), custom: withoutName(custom) })
}

function withoutName(called: Json | undefined): Json | undefined {
  if (!isObject(called)) return called
  const { name: _, ...rest } = called
  return rest
}

/** The type of a call that has none. */
export const typeOf = ({ custom, function: called }: JsonObject): string =>
  isObject(custom) && !isObject(called) ? 'custom' : 'function'

/** Whether the arguments are text, which clients can concatenate. */
const hasText = (original: JsonObject): boolean => !isObject(objectIn(original.function).arguments)

/** The call with its arguments as text. */
export const withText = (original: JsonObject): JsonObject =>
  hasText(original)
    ? original
    : { ...original, function: { ...objectIn(original.function), arguments: readPiece(original).text } }
