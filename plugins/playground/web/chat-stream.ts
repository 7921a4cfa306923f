// One streamed answer of a model: asked through the console, and heard piece by piece.
import { askRaw } from '../../console/web/app/client.ts'
import { withQuery } from '../../console/web/parts/given.ts'
import { readEvents } from '../../console/web/parts/live.ts'
import type { ChatMessage } from './chat-messages.ts'

export interface ChatAsked {
  /** Who pays; the operator must say. */
  account: string | undefined
  model: string
  messages: readonly ChatMessage[]
  fields: Readonly<Record<string, unknown>>
  signal: AbortSignal
}

export interface ChatHeard {
  /** The call has begun, under this id. */
  onBegin: (request_id: string | null) => void
  onPiece: (piece: { text: string; thinking: string }) => void
}

/**
 * Streams one answer to its end. Who aborts the signal leaves: what was delivered is charged.
 *
 * @throws ApiError before it began; Error with the server's words where it broke; AbortError
 */
export async function streamChat(asked: ChatAsked, { onBegin, onPiece }: ChatHeard): Promise<void> {
  const { account, model, messages, fields, signal } = asked
  const answer = await askRaw(withQuery('/console/api/play/chat', { account }), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages, ...fields, stream: true }),
    signal,
  })
  onBegin(answer.headers.get('x-request-id'))
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
  /** Why the answer broke. */
  error?: { message?: string }
}
