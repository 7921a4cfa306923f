// The tool calls of one streamed candidate, told apart: servers leave out the index, or give two calls the same one.
import { UpstreamFault } from '../../domain/errors.ts'
import { madeCallId } from '../canonical/parts.ts'
import { compact, countIn, isObject, type JsonObject, objectIn, stringIn } from '../wire/json.ts'
import { JsonProgress } from '../wire/json-progress.ts'

interface Call {
  readonly number: number
  id: string | undefined
  readonly name: string
  readonly json: JsonProgress
}

/** The fields by which a piece names its call. */
interface Piece {
  readonly index: number | undefined
  readonly id: string | undefined
  readonly name: string | undefined
  readonly json: string
}

export class CallNumbers {
  /** In the order in which they began. */
  readonly #calls: Call[] = []
  /** The newest call that came with an index. */
  readonly #at = new Map<number, Call>()

  /** Whether pieces of this index continue a call that clients know by the same one; its arguments are no longer followed then. */
  isKnown(index: number): boolean {
    const call = this.#at.get(index)
    if (call?.number !== index) return false
    call.json.lose()
    return true
  }

  /**
   * One piece as OpenAI sends it: with the index of its call alone, and in its first one the id, the type and the name. A new id
   * or name begins a new call, whatever the index is; a piece that says none of them continues the last call. No two calls have the
   * same id.
   * @param position the piece's place in its list
   * @param made the gateway's id of the call, and the candidate
   * @returns the very same object where nothing is missing; undefined for a piece that says nothing
   * @throws UpstreamFault for a call without a name, and for arguments that go on after their end
   */
  complete(original: JsonObject, position: number, made: readonly [string, number]): JsonObject | undefined {
    const piece = readPiece(original)
    const known = this.#find(piece, position)
    if (known && !begins(known, piece)) return this.#goOn(known, piece, original)
    if (piece.name === undefined && piece.id === undefined && piece.json === '') return undefined
    if (piece.name === undefined) throw new UpstreamFault('the upstream sent a tool call without a name')
    const is_own = piece.id !== undefined && this.#calls.every((call) => call.id !== piece.id)
    const id = is_own ? piece.id : madeCallId(made[0], made[1], this.#calls.length)
    const call = { number: this.#freeNumber(piece), id: piece.id, name: piece.name, json: new JsonProgress() }
    this.#calls.push(call)
    if (piece.index !== undefined) this.#at.set(piece.index, call)
    call.json.add(piece.json)
    const { type } = original
    const is_whole = original.index === call.number && original.id === id && typeof type === 'string'
    if (is_whole && hasText(original)) return original
    return { ...withText(original), index: call.number, id, type: type ?? typeOf(original) }
  }

  #goOn(call: Call, { id, json }: Piece, original: JsonObject): JsonObject {
    call.id ??= id
    if (!call.json.add(json))
      throw new UpstreamFault('the upstream continued the arguments of a tool call after their end')
    if (original.index === call.number && hasText(original)) return original
    return { ...withText(original), index: call.number }
  }

  /** The call that a piece may continue. */
  #find({ index, id, name }: Piece, position: number): Call | undefined {
    const at = index === undefined ? undefined : this.#at.get(index)
    if (at && (id === undefined || at.id === undefined || at.id === id)) return at
    const of_id = id === undefined ? undefined : this.#calls.findLast((call) => call.id === id)
    if (index !== undefined) return of_id && (at || name === undefined) ? of_id : undefined
    if (id === undefined && name !== undefined && position > 0) return undefined
    return of_id ?? this.#calls.at(-1)
  }

  #freeNumber({ index }: Piece): number {
    const is_free = index !== undefined && this.#calls.every(({ number }) => number !== index)
    return is_free ? index : Math.max(-1, ...this.#calls.map(({ number }) => number)) + 1
  }
}

/** Whether a piece belongs to another call than the one that its index or place says. */
function begins(known: Call, { id, name, json }: Piece): boolean {
  const is_same_name = name === undefined || name === known.name
  if (!is_same_name) return true
  if (id !== undefined) return known.id === undefined ? known.json.has_begun : id !== known.id
  return name !== undefined && json.trim() !== '' && known.json.is_complete
}

const readPiece = (original: JsonObject): Piece => {
  const { name, arguments: written } = bodyOf(original)
  return {
    index: countIn(original.index),
    id: stringIn(original.id) || undefined,
    name: stringIn(name) || undefined,
    json: isObject(written) ? JSON.stringify(written) : (stringIn(written) ?? ''),
  }
}

/** A custom tool's input is no JSON: https://platform.openai.com/docs/api-reference/chat/create (`custom` of a tool call). */
const bodyOf = (original: JsonObject): JsonObject =>
  typeOf(original) === 'custom'
    ? compact({ name: objectIn(original.custom).name })
    : objectIn(original.function)

/** Of a call without its type. */
export const typeOf = ({ custom, function: called }: JsonObject): string =>
  isObject(custom) && !isObject(called) ? 'custom' : 'function'

/** Whether the arguments are text, as clients join it. */
const hasText = (original: JsonObject): boolean => !isObject(objectIn(original.function).arguments)

/** The same call with its arguments as text. */
export const withText = (original: JsonObject): JsonObject =>
  hasText(original)
    ? original
    : { ...original, function: { ...objectIn(original.function), arguments: readPiece(original).json } }
