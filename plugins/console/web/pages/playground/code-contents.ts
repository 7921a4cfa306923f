// What a message says, in the terms of each provider. A word stands for the data of a picture, which would fill pages.
import { partsOf } from './chat-messages.ts'
import type { Message } from './draft.ts'
import type { Reference } from './reference.ts'
import type { Value } from './written.ts'

interface Data {
  mime_type: string
  data: string
}

const MIME_TYPES: readonly (readonly [ending: RegExp, mime_type: string])[] = [
  [/\.jpe?g$/i, 'image/jpeg'],
  [/\.webp$/i, 'image/webp'],
  [/\.gif$/i, 'image/gif'],
]

const dataOf = ({ label }: Reference): Data => ({
  mime_type: MIME_TYPES.find(([ending]) => ending.test(label))?.[1] ?? 'image/png',
  data: `BASE64 OF ${label}`,
})

export function openaiContent({ content, pictures = [] }: Message): Value {
  if (pictures.length === 0) return content
  const urls = pictures.map(dataOf).map(({ mime_type, data }) => `data:${mime_type};base64,${data}`)
  return partsOf(content, urls)
}

export function anthropicContent({ content, pictures = [] }: Message): Value {
  if (pictures.length === 0) return content
  const images = pictures.map(dataOf).map(({ mime_type, data }) => ({
    type: 'image',
    source: { type: 'base64', media_type: mime_type, data },
  }))
  return [...images, { type: 'text', text: content }]
}

/** @param snake in Python's spelling */
export const googleParts = ({ content, pictures = [] }: Message, snake: boolean): Value => [
  ...pictures
    .map(dataOf)
    .map(
      ({ mime_type, data }): Value =>
        snake ? { inline_data: { mime_type, data } } : { inlineData: { mimeType: mime_type, data } },
    ),
  { text: content },
]
