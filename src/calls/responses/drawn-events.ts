// The events of one turn of an answer with pictures: passed on as they come, but for the calls that the gateway itself answers.
import { newImageId } from '../../library/generations.ts'
import { emptyItem } from '../../protocols/openai/responses/picture-items.ts'
import { type ByteString, decodeByteString, toByteString } from '../../protocols/wire/byte-string.ts'
import { isObject, type JsonObject, objectIn, parseObject, stringIn } from '../../protocols/wire/json.ts'
import type { DrawnAnswer } from './drawn-answer.ts'

/** A picture that the model asks for: its item is shown, its call is not. */
export interface AskedFor {
  uuid: string
  /** The place of its item in the whole answer. */
  output_index: number
  /** The call, once it is whole. */
  call: JsonObject
}

/** The events that hold a response or an item: all others of a first turn pass unseen. */
const HOLDS_MORE =
  /^event: response\.(?:created|queued|in_progress|completed|incomplete|failed|output_item\.)/m
const BEGINS: ReadonlySet<string> = new Set(['response.created', 'response.queued', 'response.in_progress'])
const ENDS: ReadonlySet<string> = new Set(['response.completed', 'response.incomplete', 'response.failed'])

export const frameOf = (event: JsonObject): string =>
  `event: ${String(event.type)}\ndata: ${JSON.stringify(event)}\n\n`

/** Counts the events of a whole answer. */
export interface Counter {
  next: number
}

export class TurnEvents {
  /** The pictures that are asked for, by the places of their calls in the turn's own response. */
  readonly pictures = new Map<number, AskedFor>()
  /** The turn's own response, once it has ended. */
  ended: JsonObject | undefined
  readonly #answer: DrawnAnswer
  readonly #counter: Counter
  /** How many items are before this turn's. */
  readonly #base: number
  readonly #is_first: boolean
  /** Our ids of items, by those of the turn. */
  readonly #ids = new Map<string, string>()
  /** What is added to the number of an event; undefined before the first one. */
  #shift: number | undefined

  constructor(answer: DrawnAnswer, counter: Counter) {
    this.#answer = answer
    this.#counter = counter
    this.#base = answer.length
    this.#is_first = counter.next === 0
    if (this.#is_first) this.#shift = 0
  }

  /** @param chunk whole events @returns what is shown of them; undefined for nothing */
  pass(chunk: Uint8Array): Uint8Array | undefined {
    const text = toByteString(chunk)
    if (this.#is_first && this.#shift === 0 && this.pictures.size === 0 && !HOLDS_MORE.test(text))
      return chunk
    const shown = text
      .split('\n\n')
      .map((frame) => this.#shown(frame))
      .join('')
    return shown === '' ? undefined : Buffer.from(shown)
  }

  #shown(frame: ByteString): string {
    const at = frame.indexOf('data: ')
    const event = at < 0 ? undefined : parseObject(decodeByteString(frame.slice(at + 'data: '.length)))
    if (!event) return ''
    const number = Number(event.sequence_number ?? 0)
    this.#shift ??= this.#counter.next - number
    const shown = this.#rewritten(event)
    const first = number + this.#shift
    this.#shift += shown.length - 1
    this.#counter.next = first + shown.length
    return shown.map((each, index) => frameOf({ ...each, sequence_number: first + index })).join('')
  }

  /** What is shown in an event's place. */
  #rewritten(event: JsonObject): JsonObject[] {
    const type = stringIn(event.type) ?? ''
    if (BEGINS.has(type))
      return this.#is_first ? [{ ...event, response: this.#answer.shown(objectIn(event.response)) }] : []
    if (ENDS.has(type)) {
      this.ended = objectIn(event.response)
      return []
    }
    if (typeof event.output_index !== 'number') return [event]
    const picture = this.pictures.get(event.output_index)
    if (picture) {
      if (type === 'response.output_item.done') picture.call = objectIn(event.item)
      return []
    }
    if (isObject(event.item) && this.#answer.isDrawing(event.item)) return this.#begun(event.output_index)
    return [this.#placed(event, event.output_index + this.#base)]
  }

  #begun(index: number): JsonObject[] {
    const picture = { uuid: newImageId(), output_index: index + this.#base, call: {} }
    this.pictures.set(index, picture)
    const { uuid, output_index } = picture
    const item = emptyItem(uuid, 'in_progress')
    return [
      { type: 'response.output_item.added', sequence_number: 0, output_index, item },
      pictureEvent('in_progress', picture),
    ]
  }

  #placed(event: JsonObject, output_index: number): JsonObject {
    const given = stringIn(event.item_id)
    const placed: JsonObject = { ...event, output_index }
    if (given !== undefined) placed.item_id = this.#ids.get(given) ?? given
    if (!isObject(event.item)) return placed
    const item = this.#answer.shownItem(event.item, output_index)
    this.#ids.set(String(event.item.id), String(item.id))
    return { ...placed, item }
  }
}

/** A step of a picture's making. */
export const pictureEvent = (
  step: 'in_progress' | 'generating' | 'completed',
  { uuid, output_index }: Pick<AskedFor, 'uuid' | 'output_index'>,
): JsonObject => ({
  type: `response.image_generation_call.${step}`,
  sequence_number: 0,
  output_index,
  item_id: String(emptyItem(uuid, 'in_progress').id),
})
