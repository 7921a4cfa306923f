// One streamed answer of a model: asked through the console, and heard piece by piece.
import { askRaw } from '../../app/client.ts'
import type { Message } from './draft.ts'

export interface ChatAsked {
  /** Who pays; the operator must say. */
  account: string | undefined
  model: string
  messages: readonly Message[]
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
  const query = account === undefined ? '' : `?account=${encodeURIComponent(account)}`
  const answer = await askRaw(`/console/api/play/chat${query}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages, ...fields, stream: true }),
    signal,
  })
  onBegin(answer.headers.get('x-request-id'))
  if (!answer.body) return
  let rest = ''
  for await (const chunk of chunksOf(answer.body.pipeThrough(new TextDecoderStream()))) {
    const events = (rest + chunk).split('\n\n')
    rest = events.pop() ?? ''
    for (const event of events) {
      const piece = pieceIn(event)
      if (piece) onPiece(piece)
    }
  }
}

/** Not every browser iterates over a stream by itself. */
async function* chunksOf(stream: ReadableStream<string>): AsyncGenerator<string> {
  const reader = stream.getReader()
  try {
    for (;;) {
      const { value, done } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    reader.releaseLock()
  }
}

interface ChatEvent {
  choices?: { delta?: { content?: string | null; reasoning_content?: string | null } }[]
  error?: { message?: string }
}

/** What an event adds. @throws Error with the server's words for one that says that the answer broke */
function pieceIn(event: string): { text: string; thinking: string } | undefined {
  const data = event
    .split('\n')
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice(5).trimStart())
    .join('\n')
  if (data === '' || data === '[DONE]') return undefined
  const { choices, error } = JSON.parse(data) as ChatEvent
  if (error) throw new Error(error.message ?? 'The answer broke off.')
  const delta = choices?.[0]?.delta
  return { text: delta?.content ?? '', thinking: delta?.reasoning_content ?? '' }
}
