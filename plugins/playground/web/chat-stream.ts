// One streamed answer of a model, requested through the console and read piece by piece.
import { askRaw } from '../../console/web/app/client.ts'
import { withQuery } from '../../console/web/parts/given.ts'
import { readEvents } from '../../console/web/parts/live.ts'
import type { ChatMessage } from './chat-messages.ts'

export interface ChatRequest {
  /** The account that pays; the operator must name it. */
  account: string | undefined
  model: string
  messages: readonly ChatMessage[]
  fields: Readonly<Record<string, unknown>>
  signal: AbortSignal
}

export interface ChatListener {
  /** The call has started, under this id. */
  onStart: (request_id: string | null) => void
  onPiece: (piece: { text: string; thinking: string }) => void
}

/**
 * Streams one answer to its end. Aborting the signal disconnects: the delivered part is charged.
 *
 * @throws ApiError before it started; Error with the server's words where it was interrupted; AbortError
 */
export async function streamChat(request: ChatRequest, { onStart, onPiece }: ChatListener): Promise<void> {
  const { account, model, messages, fields, signal } = request
  const answer = await askRaw(withQuery('/console/api/play/chat', { account }), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages, ...fields, stream: true }),
    signal,
  })
  onStart(answer.headers.get('x-request-id'))
  for await (const data of readEvents(answer)) {
    if (data === '[DONE]') continue
    const { choices, error } = JSON.parse(data) as ChatEvent
    if (error) throw new Error(error.message ?? 'The answer broke off.')
    const delta = choices?.[0]?.delta
    if (delta) onPiece({ text: delta.content ?? '', thinking: delta.reasoning_content ?? '' })
  }
}

interface ChatEvent {
  choices?: { delta?: { content?: string | null; reasoning_content?: string | null } }[]
  /** Of an interrupted answer. */
  error?: { message?: string }
}
