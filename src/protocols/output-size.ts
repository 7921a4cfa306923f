// The size of an answer's output, by the known meaning of its fields, for answers without a usage.
import { estimateTokens, OUTPUT_IMAGE_TOKENS } from '../domain/token-estimate.ts'
import { audioTokens } from './audio-output.ts'
import { tokensOfBytes } from './token-sums.ts'
import type { ByteString } from './wire/byte-string.ts'
import type { Json } from './wire/json.ts'
import {
  CLOSING_BRACE,
  CLOSING_BRACKET,
  COLON,
  OPENING_BRACE,
  OPENING_BRACKET,
  QUOTE,
} from './wire/json-bytes.ts'
import { closingQuote } from './wire/json-text.ts'

/**
 * Counts output beside the part of a stream's events that is already counted. Events of one stream are alike: it searches only
 * events with more other bytes than every event in which it found nothing.
 */
export class SurroundingOutput {
  readonly #shape: Shape
  #silent_bytes = 0

  /** @param shape of the object that holds the counted part, with NO_OUTPUT for that part */
  constructor(shape: Shape) {
    this.#shape = shape
  }

  /**
   * Adds the output of one event.
   * @param part_bytes the length of the counted part
   * @param start finds the beginning of the object; -1 if none exists
   */
  add(data: ByteString, part_bytes: number, start: () => number, sums: Sums): void {
    const bytes = data.length - part_bytes
    if (bytes <= this.#silent_bytes) return
    const from = start()
    const before = total(sums)
    if (from >= 0) addOutput(data, from, this.#shape, sums)
    if (total(sums) === before) this.#silent_bytes = bytes
  }
}

const total = (sums: Readonly<Sums>): number => sums.reduce((sum, each) => sum + each, 0)

/** Ids, types, and text that the model did not write. */
export const NO_OUTPUT = 0
/** All strings in the value are output. */
export const TEXT = 1
/** Audio in base64. */
export const AUDIO = 2
/** An image, as base64 or an address. */
export const IMAGE = 3
/** A structure that the model wrote as JSON: names and numbers count, too. */
export const JSON_TEXT = 4
/** Text that may occur in up to three forms: only the longest form counts. */
export const FIRST_FORM = 5
export const SECOND_FORM = 6
export const THIRD_FORM = 7
/** A signature of the text beside it. It counts in place of the text if that is missing. */
export const SIGNATURE = FIRST_FORM
const WEIGHTS = 8

/** An object, or a list of objects. All strings in a field without a shape count as text, since its meaning is unknown. */
interface Fields {
  readonly names: readonly string[]
  readonly shapes: readonly Shape[]
}

/** The meaning of the strings in a value. */
type Shape = number | Fields

/** @param shapes of the known fields, the most frequent first */
export const fields = (shapes: Readonly<Record<string, Shape>>): Fields => ({
  names: Object.keys(shapes),
  shapes: Object.values(shapes),
})

/** The fields of an object that hold no output. */
export const silentNames = ({ names, shapes }: Fields): readonly string[] =>
  names.filter((_, index) => shapes[index] === NO_OUTPUT)

/** Sums by meaning, in escaped bytes, or in images. */
type Sums = number[]
export const zeroSums = (): Sums => new Array(WEIGHTS).fill(0)

/** The tokens of the sums. @param audio_per_second the provider's tokens for a second of audio */
export const tokensOfSums = (sums: Readonly<Sums>, audio_per_second: number): number =>
  tokensOfBytes(sumFor(sums, TEXT)) +
  audioTokens(sumFor(sums, AUDIO), audio_per_second) +
  sumFor(sums, IMAGE) * OUTPUT_IMAGE_TOKENS

export const sumFor = (sums: Readonly<Sums>, weight: number): number => sums[weight] ?? 0

/** Adds the longest of the repeated forms to the text. */
export function addLongestForm(sums: Sums): void {
  sums[TEXT] =
    sumFor(sums, TEXT) +
    Math.max(sumFor(sums, FIRST_FORM), sumFor(sums, SECOND_FORM), sumFor(sums, THIRD_FORM))
  sums[FIRST_FORM] = 0
  sums[SECOND_FORM] = 0
  sums[THIRD_FORM] = 0
}

/** The shapes of the containers around the current place of a walk. One list for all walks, to save allocations. */
const ENCLOSING: Shape[] = []

/**
 * Adds the output in one value of an unparsed event.
 * @param start the beginning of the value
 * @param outer the containers of a walk around this one
 * @returns its end; the end of the data if the JSON is cut off
 */
export function addOutput(data: ByteString, start: number, shape: Shape, sums: Sums, outer = 0): number {
  let depth = outer
  let holder: Shape = TEXT
  let value = shape
  for (let at = start; at < data.length; at++) {
    const code = data.charCodeAt(at)
    if (code === QUOTE) {
      const end = closingQuote(data, at + 1)
      if (end < 0) return data.length
      const colon = depth > outer ? colonAfter(data, end + 1) : -1
      if (colon >= 0) {
        value = typeof holder === 'number' ? holder : shapeAt(holder, data, at + 1, end)
        at = colon
        continue
      }
      add(sums, value, end - at - 1)
      at = end
    } else if (code === OPENING_BRACE || code === OPENING_BRACKET) {
      if (value === JSON_TEXT) {
        const end = addOutput(data, at, NO_OUTPUT, sums, depth)
        if (end - at > 2) add(sums, TEXT, end - at)
        at = end - 1
      } else {
        ENCLOSING[depth++] = holder
        holder = value
      }
    } else if (code === CLOSING_BRACE || code === CLOSING_BRACKET) {
      if (depth === outer) return at
      holder = ENCLOSING[--depth] ?? TEXT
      value = holder
    } else continue
    if (depth === outer) return at + 1
  }
  return data.length
}

function add(sums: Sums, shape: Shape, bytes: number): void {
  if (shape === NO_OUTPUT || bytes === 0) return
  const weight = typeof shape === 'number' && shape !== JSON_TEXT ? shape : TEXT
  sums[weight] = sumFor(sums, weight) + (weight === IMAGE ? 1 : bytes)
}

function shapeAt({ names, shapes }: Fields, data: ByteString, start: number, end: number): Shape {
  for (let index = 0; index < names.length; index++) {
    const name = names[index] ?? ''
    if (name.length === end - start && data.startsWith(name, start)) return shapes[index] ?? TEXT
  }
  return TEXT
}

const SPACE = 32

function colonAfter(data: ByteString, from: number): number {
  let at = from
  while (data.charCodeAt(at) <= SPACE) at++
  return data.charCodeAt(at) === COLON ? at : -1
}

/** The beginning of the next object or list under a key; -1 if none exists. @param key with its quotes */
export function nextContainer(data: ByteString, key: ByteString, from: number): number {
  for (let at = data.indexOf(key, from); at >= 0; at = data.indexOf(key, at + key.length)) {
    let start = colonAfter(data, at + key.length) + 1
    if (start === 0) continue
    while (data.charCodeAt(start) <= SPACE) start++
    const code = data.charCodeAt(start)
    if (code === OPENING_BRACE || code === OPENING_BRACKET) return start
  }
  return -1
}

/** The output in a parsed part of an answer. */
export class ParsedOutput {
  text = ''
  audio_chars = 0
  images = 0
  readonly #forms = ['', '', '']

  constructor(value: Json | undefined, shape: Shape) {
    this.#read(value, shape)
  }

  /** The longest of the repeated forms. */
  get longest_form(): string {
    return this.#forms.reduce((longest, each) => (each.length > longest.length ? each : longest))
  }

  /** @param text the text to count @param audio_per_second the provider's tokens for a second of audio */
  tokens(text: string, audio_per_second: number): number {
    return (
      estimateTokens(text) +
      audioTokens(this.audio_chars, audio_per_second) +
      this.images * OUTPUT_IMAGE_TOKENS
    )
  }

  /** Recursion is safe: the answer was parsed, which bounds its depth. */
  #read(value: Json | undefined, shape: Shape): void {
    if (shape === NO_OUTPUT) return
    if (typeof value === 'string') this.#add(value, shape)
    else if (typeof value !== 'object' || value === null) return
    else if (shape === JSON_TEXT) {
      const json = JSON.stringify(value)
      if (json.length > 2) this.text += json
    } else if (Array.isArray(value)) for (const item of value) this.#read(item, shape)
    else
      for (const [name, held] of Object.entries(value))
        this.#read(held, typeof shape === 'number' ? shape : shapeAt(shape, name, 0, name.length))
  }

  #add(value: string, shape: Shape): void {
    if (shape === AUDIO) this.audio_chars += value.length
    else if (shape === IMAGE) this.images += value === '' ? 0 : 1
    else if (typeof shape === 'number' && shape >= FIRST_FORM) this.#forms[shape - FIRST_FORM] += value
    else this.text += value
  }
}
