// Messages for chat completions: each picture as data, since the gateway fetches nothing by itself.
import { askRaw } from '../../console/web/app/client.ts'
import type { Message } from './draft.ts'
import { pictureOf, type Reference } from './reference.ts'

type Part = { type: 'text'; text: string } | { type: 'image_url'; image_url: { url: string } }

export interface ChatMessage {
  role: Message['role']
  content: string | readonly Part[]
}

/**
 * Reads the pictures, which this browser keeps once it has them.
 *
 * @throws ApiError for a deleted picture
 */
export const chatMessages = (
  messages: readonly Message[],
  is_operator: boolean,
  signal: AbortSignal,
): Promise<ChatMessage[]> =>
  Promise.all(
    messages.map(async ({ role, content, pictures = [] }) => {
      if (pictures.length === 0) return { role, content }
      const urls = await Promise.all(pictures.map((one) => dataUrlOf(one, is_operator, signal)))
      return { role, content: partsOf(content, urls) }
    }),
  )

/** @param urls of its pictures */
const partsOf = (content: string, urls: readonly string[]): Part[] => [
  ...urls.map((url): Part => ({ type: 'image_url', image_url: { url } })),
  { type: 'text', text: content },
]

async function dataUrlOf(picture: Reference, is_operator: boolean, signal: AbortSignal): Promise<string> {
  const answer = await askRaw(pictureOf(picture, is_operator), { signal })
  const blob = await answer.blob()
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const reader = new FileReader()
  reader.addEventListener('load', () => resolve(String(reader.result)))
  reader.addEventListener('error', () => reject(new Error(`${picture.label} could not be read.`)))
  reader.readAsDataURL(blob)
  return await promise
}
