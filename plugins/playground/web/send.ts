// A request sent through the console: streamed text, or images with their cost.
import { sendRaw } from '../../console/web/app/client.ts'
import { withQuery } from '../../console/web/parts/address-state.ts'
import { readEvents } from '../../console/web/parts/live.ts'
import { picturePath } from '../../console/web/parts/pictures.tsx'
import type { Answer, Message, Reference } from './request.ts'

interface Sent {
  /** The account that pays; the operator must name it. */
  account: string | undefined
  is_operator: boolean
  model: string
  fields: Readonly<Record<string, unknown>>
  signal: AbortSignal
}

/** Called when the call has started, and when more of its answer has arrived. */
export type OnProgress = (some: Partial<Answer>) => void

const post = (path: string, body: object, { account, signal }: Sent) =>
  sendRaw(withQuery(`/console/api/play/${path}`, { account }), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal,
  })

interface ChatEvent {
  choices?: { delta?: { content?: string | null; reasoning_content?: string | null } }[]
  error?: { message?: string }
}

/**
 * Streams one answer to its end. Aborting the signal disconnects: the delivered part is charged.
 *
 * @throws ApiError before it starts; Error with the server's message if it is interrupted; AbortError
 */
export async function sendText(
  sent: Sent,
  messages: readonly Message[],
  onProgress: OnProgress,
): Promise<void> {
  const { model, fields } = sent
  const content = await Promise.all(messages.map((message) => chatMessage(message, sent)))
  const answer = await post('chat', { model, messages: content, ...fields, stream: true }, sent)
  onProgress({ request_id: answer.headers.get('x-request-id') ?? undefined })
  let [text, thinking] = ['', '']
  for await (const data of readEvents(answer)) {
    if (data === '[DONE]') continue
    const { choices, error } = JSON.parse(data) as ChatEvent
    if (error) throw new Error(error.message ?? 'The provider dropped the connection mid-answer.')
    const delta = choices?.[0]?.delta
    text += delta?.content ?? ''
    thinking += delta?.reasoning_content ?? ''
    onProgress({ text, thinking })
  }
}

/** Sends each picture as data, because the gateway does not fetch URLs. @throws ApiError for a deleted picture */
async function chatMessage({ role, content, pictures = [] }: Message, sent: Sent) {
  if (pictures.length === 0) return { role, content }
  const urls = await Promise.all(pictures.map((picture) => dataUrlOf(picture, sent)))
  return {
    role,
    content: [
      ...urls.map((url) => ({ type: 'image_url', image_url: { url } })),
      { type: 'text', text: content },
    ],
  }
}

/** Returns a picture as a data URL. Repeated requests are cheap, because the browser caches pictures. */
async function dataUrlOf({ is, id, label }: Reference, { is_operator, signal }: Sent): Promise<string> {
  const answer = await sendRaw(picturePath(is, id, is_operator), { signal })
  const blob = await answer.blob()
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const reader = new FileReader()
  reader.addEventListener('load', () => resolve(String(reader.result)))
  reader.addEventListener('error', () => reject(new Error(`${label} could not be read.`)))
  reader.readAsDataURL(blob)
  return await promise
}

/**
 * Generates images: new ones, an edit of one reference, or a composition of several.
 *
 * @throws ApiError with the server's message; ConnectionLost
 */
export async function sendImages(
  sent: Sent,
  { prompt, references }: { prompt: string; references: readonly Reference[] },
  onProgress: OnProgress,
): Promise<void> {
  const { path, sources } = sourcesOf(references)
  const answer = await post(path, { model: sent.model, prompt, ...sent.fields, ...sources }, sent)
  const { svc_generation_ids, cost } = (await answer.json()) as { svc_generation_ids: string[]; cost: string }
  onProgress({
    images: svc_generation_ids,
    cost,
    request_id: answer.headers.get('x-request-id') ?? undefined,
  })
}

function sourcesOf(references: readonly Reference[]): { path: string; sources: Record<string, unknown> } {
  const [only] = references
  if (!only) return { path: 'images', sources: {} }
  if (references.length === 1)
    return {
      path: 'edits',
      sources: only.is === 'image' ? { generation_id: only.id } : { image_key: only.id },
    }
  const idsOf = (is: Reference['is']) => references.filter((each) => each.is === is).map(({ id }) => id)
  return { path: 'compose', sources: { generation_ids: idsOf('image'), image_keys: idsOf('file') } }
}
