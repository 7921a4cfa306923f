// The output in an answer, by the known meaning of its fields: for answers that the provider does not count.
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

/** The events of one stream are alike: only those are looked at that have more beside that part than any in which nothing was found. */
export class WrittenBeside {
  readonly #shape: Shape
  #silent_bytes = 0

  /** @param shape of what holds the part, which is nothing in it */
  constructor(shape: Shape) {
    this.#shape = shape
  }

  /**
   * Adds what is found.
   * @param part_bytes how long the part is
   * @param start finds where what holds it begins; -1 if nothing does
   */
  add(data: ByteString, part_bytes: number, start: () => number, sums: Sums): void {
    const bytes = data.length - part_bytes
    if (bytes <= this.#silent_bytes) return
    const from = start()
    const before = total(sums)
    if (from >= 0) addWritten(data, from, this.#shape, sums)
    if (total(sums) === before) this.#silent_bytes = bytes
  }
}

const total = (sums: Readonly<Sums>): number => sums.reduce((sum, each) => sum + each, 0)

/** Ids, names of kinds, and what others wrote. */
export const NOTHING = 0
/** All strings within are output. */
export const TEXT = 1
/** Audio in base64. */
export const AUDIO = 2
/** An image, as base64 or an address. */
export const IMAGE = 3
/** A structure that the model wrote as JSON: its names and numbers count, too. */
export const JSON_TEXT = 4
/** Text that may come three times over: the longest of these counts. */
export const SAID = 5
export const SAID_AGAIN = 6
export const SAID_IN_PARTS = 7
/** A proof of the text beside it; it stands for the text where that is missing. */
export const PROOF = SAID
const WEIGHTS = 8

/** An object, or a list of such. What has no name here is a field that nobody knows yet: all strings in it count as text. */
interface Fields {
  readonly names: readonly string[]
  readonly shapes: readonly Shape[]
}

/** The meaning of the strings of a value. */
type Shape = number | Fields

/** @param shapes of the fields that are known; those that nearly every value has come first */
export const fields = (shapes: Readonly<Record<string, Shape>>): Fields => ({
  names: Object.keys(shapes),
  shapes: Object.values(shapes),
})

/** The names of an object's fields that hold nothing that was written. */
export const silentNames = ({ names, shapes }: Fields): readonly string[] =>
  names.filter((_, index) => shapes[index] === NOTHING)

/** So much of each weight: bytes as they are escaped, or images. */
type Sums = number[]
export const noSums = (): Sums => new Array(WEIGHTS).fill(0)

/** The tokens of what was summed up. @param audio_per_second what the provider counts for a second of audio */
export const tokensOfSums = (sums: Readonly<Sums>, audio_per_second: number): number =>
  tokensOfBytes(of(sums, TEXT)) +
  audioTokens(of(sums, AUDIO), audio_per_second) +
  of(sums, IMAGE) * OUTPUT_IMAGE_TOKENS

export const of = (sums: Readonly<Sums>, weight: number): number => sums[weight] ?? 0

/** Adds the longest of what may be said several times to the text. */
export function settleSaid(sums: Sums): void {
  sums[TEXT] = of(sums, TEXT) + Math.max(of(sums, SAID), of(sums, SAID_AGAIN), of(sums, SAID_IN_PARTS))
  sums[SAID] = 0
  sums[SAID_AGAIN] = 0
  sums[SAID_IN_PARTS] = 0
}

/** The shapes around the place that a walk has come to: only one walk is under way at a time, for none waits. */
const AROUND: Shape[] = []

/**
 * Adds what is written in one value of an event that is not parsed.
 * @param start where the value begins
 * @returns where it ends; of JSON that is cut off, the end
 */
export function addWritten(data: ByteString, start: number, shape: Shape, sums: Sums): number {
  let depth = 0
  let holder: Shape = TEXT
  let value = shape
  for (let at = start; at < data.length; at++) {
    const code = data.charCodeAt(at)
    if (code === QUOTE) {
      const end = closingQuote(data, at + 1)
      if (end < 0) return data.length
      const colon = depth > 0 ? colonAfter(data, end + 1) : -1
      if (colon >= 0) {
        value = typeof holder === 'number' ? holder : shapeAt(holder, data, at + 1, end)
        at = colon
        continue
      }
      add(sums, value, end - at - 1)
      at = end
    } else if (code === OPENING_BRACE || code === OPENING_BRACKET) {
      if (value === JSON_TEXT) {
        const end = addWritten(data, at, NOTHING, sums)
        if (end - at > 2) add(sums, TEXT, end - at)
        at = end - 1
      } else {
        AROUND[depth++] = holder
        holder = value
      }
    } else if (code === CLOSING_BRACE || code === CLOSING_BRACKET) {
      if (depth === 0) return at
      holder = AROUND[--depth] ?? TEXT
      value = holder
    } else continue
    if (depth === 0) return at + 1
  }
  return data.length
}

function add(sums: Sums, shape: Shape, bytes: number): void {
  if (shape === NOTHING || bytes === 0) return
  const weight = typeof shape === 'number' && shape !== JSON_TEXT ? shape : TEXT
  sums[weight] = of(sums, weight) + (weight === IMAGE ? 1 : bytes)
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

/** Where the value of a key begins that is an object or a list; -1 if none is found from here on. @param key with its quotes */
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
export class Written {
  text = ''
  audio_chars = 0
  images = 0
  readonly #said = ['', '', '']

  constructor(value: Json | undefined, shape: Shape) {
    this.#read(value, shape)
  }

  /** The longest of what may be said several times. */
  get said(): string {
    return this.#said.reduce((longest, each) => (each.length > longest.length ? each : longest))
  }

  /** @param text what of it counts @param audio_per_second what the provider counts for a second of audio */
  tokens(text: string, audio_per_second: number): number {
    return (
      estimateTokens(text) +
      audioTokens(this.audio_chars, audio_per_second) +
      this.images * OUTPUT_IMAGE_TOKENS
    )
  }

  /** The answer was parsed, so that its depth is bounded. */
  #read(value: Json | undefined, shape: Shape): void {
    if (shape === NOTHING) return
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
    else if (typeof shape === 'number' && shape >= SAID) this.#said[shape - SAID] += value
    else this.text += value
  }
}
