// A conversation with one model or two, which answer at the same time, are streamed side by side and stopped together.
import { useCallback, useEffect, useReducer, useRef } from 'react'
import { useViewer } from '../../console/web/app/session.tsx'
import { messageOf } from '../../console/web/parts/thrown.ts'
import { chatMessages } from './chat-messages.ts'
import { streamChat } from './chat-stream.ts'
import {
  type Answer,
  changed,
  type Draft,
  fieldsOf,
  keepDraft,
  keptDraft,
  messagesOf,
  type NextMessage,
} from './draft.ts'
import { estimatedPrompt } from './estimate.ts'
import type { TextModel } from './models.ts'

export interface Conversation {
  draft: Draft
  set: (some: Partial<Draft>) => void
  /** Sends the typed question to all models. */
  send: () => void
  stop: () => void
  is_streaming: boolean
}

export interface ConversationOptions {
  models: readonly TextModel[]
  account: string | undefined
  /** Called when a call has ended, which changes the account's balance. */
  onCharged: () => void
}

/** Pieces arrive more often than the page needs to show them. */
const SHOW_EVERY_MS = 50

export function useConversation({ models, account, onCharged }: ConversationOptions): Conversation {
  const { role, account: own } = useViewer()
  const owner = `${role} ${own ?? ''}`
  const [draft, dispatch] = useReducer(changed, owner, keptDraft)
  const running = useRef(new Set<AbortController>())

  // At once, since a viewer may reload the page between two pieces of an answer.
  useEffect(() => keepDraft(owner, draft), [owner, draft])

  const stop = useCallback(() => {
    for (const controller of running.current) controller.abort()
  }, [])
  // Leaving the page stops its answers.
  useEffect(() => stop, [stop])

  async function ask(turn: string, side: number, model: TextModel, next: NextMessage): Promise<void> {
    const controller = new AbortController()
    running.current.add(controller)
    const update = (some: Partial<Answer>) => dispatch({ type: 'answer_changed', turn, side, some })
    const pieces = bufferPieces(update)
    try {
      await streamChat(
        {
          account,
          model: model.id,
          messages: await chatMessages(messagesOf(draft, side, next), role === 'operator', controller.signal),
          fields: fieldsOf(draft.parameters, model.parameters),
          signal: controller.signal,
        },
        { onStart: (request_id) => update({ request_id: request_id ?? undefined }), onPiece: pieces.add },
      )
      update({ ...pieces.end(), state: 'done', ended_ms: Date.now() })
    } catch (thrown) {
      const ended = { ...pieces.end(), ended_ms: Date.now() }
      if (controller.signal.aborted) update({ ...ended, state: 'stopped' })
      else
        update({
          ...ended,
          state: 'failed',
          failure: messageOf(thrown),
        })
    } finally {
      running.current.delete(controller)
      onCharged()
    }
  }

  function send(): void {
    const question = draft.question.trim()
    const chosen = draft.models.map((id) => models.find((model) => model.id === id))
    if (question === '' || running.current.size > 0) return
    const id = `turn-${Date.now()}`
    const next = { question, pictures: draft.pictures }
    const answers = chosen.map((model, side) => (model ? newAnswer(draft, side, next) : null))
    dispatch({ type: 'turn_added', turn: { id, ...next, answers } })
    for (const [side, model] of chosen.entries()) if (model) void ask(id, side, model, next)
  }

  return {
    draft,
    set: useCallback((some) => dispatch({ type: 'set', some }), []),
    send,
    stop,
    is_streaming: draft.turns.at(-1)?.answers.some((answer) => answer?.state === 'streaming') ?? false,
  }
}

const newAnswer = (draft: Draft, side: number, next: NextMessage): Answer => ({
  text: '',
  thinking: '',
  state: 'streaming',
  prompt_tokens: estimatedPrompt(messagesOf(draft, side, next)),
  started_ms: Date.now(),
})

type Piece = Pick<Answer, 'text' | 'thinking'>

/** Joins pieces, and reports the whole now and then. */
function bufferPieces(report: (whole: Piece) => void) {
  let whole: Piece = { text: '', thinking: '' }
  let timer: ReturnType<typeof setTimeout> | undefined
  return {
    add(piece: Piece): void {
      whole = { text: whole.text + piece.text, thinking: whole.thinking + piece.thinking }
      timer ??= setTimeout(() => {
        timer = undefined
        report(whole)
      }, SHOW_EVERY_MS)
    },
    /** All pieces so far. */
    end(): Piece {
      clearTimeout(timer)
      return whole
    },
  }
}
