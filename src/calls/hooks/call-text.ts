// The texts of a JSON request of any protocol and the count of its values, for hooks. Pure.
import type { Json, JsonObject } from '../../protocols/wire/json.ts'

export interface CallText {
  text: string
  /** The body has more text than this. */
  is_cut: boolean
  /** The commas and brackets of the values: fewer than were sent if an object has a name twice. */
  values: number
}

export const MAX_TEXT_CHARS = 1_000_000

/** Fields with enumerated values. A string there that is not one word still counts as text. */
const ENUMERATED: ReadonlySet<string> = new Set(['type', 'role'])
const WORD = /^[a-z][a-z0-9_.-]{0,40}$/
/** Base64 bytes, and reasoning that only its provider can read. */
const OPAQUE: ReadonlySet<string> = new Set([
  'data',
  'file_data',
  'b64_json',
  'signature',
  'thoughtSignature',
  'thought_signature',
  'encrypted_content',
])
const BASE64 = /^[A-Za-z0-9+/_=\s-]*$/

interface TextCollection extends Omit<CallText, 'text'> {
  texts: string[]
  chars: number
}

/**
 * Walks a body and freezes it, so that no hook changes what the next one sees. Every string counts as text unless it is
 * known not to be: searching too much is safer than too little.
 */
export function readCallText(body: JsonObject): CallText {
  const reading: TextCollection = { texts: [], chars: 0, is_cut: false, values: 0 }
  const { model, ...rest } = body
  readObject(reading, rest)
  // The model's name does not count as text, but its comma counts. `rest` is a copy, so the body itself is frozen here.
  if (model !== undefined && Object.keys(rest).length > 0) reading.values += 1
  if (typeof model === 'object') read(reading, model, 'model', body)
  Object.freeze(body)
  const { texts, is_cut, values } = reading
  return { text: texts.join('\n'), is_cut, values }
}

function read(reading: TextCollection, value: Json, name: string, parent: JsonObject): void {
  if (typeof value === 'string') {
    if (!isOpaque(value, name, parent)) add(reading, value)
  } else if (Array.isArray(value)) {
    reading.values += 1 + Math.max(value.length - 1, 0)
    for (const item of value) read(reading, item, name, parent)
    Object.freeze(value)
  } else if (typeof value === 'object' && value !== null) readObject(reading, value)
}

function readObject(reading: TextCollection, value: JsonObject): void {
  const names = Object.keys(value)
  reading.values += 1 + Math.max(names.length - 1, 0)
  for (const name of names) read(reading, value[name] ?? null, name, value)
  Object.freeze(value)
}

/** Whether a string is not text. Anthropic's plain-text documents carry their text in `data`. */
function isOpaque(value: string, name: string, { type }: JsonObject): boolean {
  if (ENUMERATED.has(name)) return WORD.test(value)
  if (value.startsWith('data:')) return /^data:[\w.+/;=-]*;base64,/i.test(value)
  return OPAQUE.has(name) && type !== 'text' && BASE64.test(value)
}

function add(reading: TextCollection, text: string): void {
  const free_chars = MAX_TEXT_CHARS - reading.chars
  if (text.length > free_chars) reading.is_cut = true
  if (free_chars <= 0 || text === '') return
  reading.texts.push(text.slice(0, free_chars))
  reading.chars += text.length + 1
}
