// The parts of a content, and the media in them.
import { isObject, type JsonObject, listOf, objectOf, pick, textOf } from '../json.ts'

export const partsOf = (content: JsonObject): JsonObject[] => listOf(content.parts).map(objectOf)

/** The media of a part: its type, size and content in base64; an empty type without media. */
export function inlineOf(part: JsonObject): { mime: string; bytes: number; data: string } {
  const inline = pick(part, 'inlineData', 'inline_data', 'fileData', 'file_data')
  if (!isObject(inline)) return { mime: '', bytes: 0, data: '' }
  const mime = textOf(pick(inline, 'mimeType', 'mime_type')).toLowerCase()
  return {
    mime: mime === '' ? 'application/octet-stream' : mime,
    bytes: Math.floor((textOf(inline.data).length * 3) / 4),
    data: textOf(inline.data),
  }
}
