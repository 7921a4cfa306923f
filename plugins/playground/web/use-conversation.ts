// A conversation with one or two models: asked at once, streamed side by side, stopped together.
import { useCallback, useEffect, useReducer, useRef } from 'react'
import { useViewer } from '../../console/web/app/session.tsx'
import { messageOf } from '../../console/web/parts/thrown.ts'
import { chatMessages } from './chat-messages.ts'
import { streamChat } from './chat-stream.ts'
import {
  type Answer,
  type Asked,
  changed,
  type Draft,
  fieldsOf,
  keepDraft,
  keptDraft,
  messagesOf,
} from './draft.ts'
import { estimatedPrompt } from './estimate.ts'
import type { TextModel } from './models.ts'

export interface Conversation {
  draft: Draft
  set: (some: Partial<Draft>) => void
  /** Sends the question that is typed to all models. */
  send: () => void
  stop: () => void
  is_streaming: boolean
}

export interface ConversationOptions {
  models: readonly TextModel[]
  account: string | undefined
  /** A call has ended: what the account has left is another. */
  onCharged: () => void
}

/** Pieces come faster than they need to be drawn. */
const DRAW_EVERY_MS = 50

export function useConversation({ models, account, onCharged }: ConversationOptions): Conversation {
  const { role, account: own } = useViewer()
  const owner = `${role} ${own ?? ''}`
  const [draft, dispatch] = useReducer(changed, owner, keptDraft)
  const running = useRef(new Set<AbortController>())

  // At once: whoever reloads or leaves the page does so between two pieces of an answer, too.
  useEffect(() => keepDraft(owner, draft), [owner, draft])

  const stop = useCallback(() => {
    for (const controller of running.current) controller.abort()
  }, [])
  // Who leaves the page leaves the answers, too.
  useEffect(() => stop, [stop])

  async function ask(turn: string, side: number, model: TextModel, next: Asked): Promise<void> {
    const controller = new AbortController()
    running.current.add(controller)
    const tell = (some: Partial<Answer>) => dispatch({ type: 'heard', turn, side, some })
    const heard = createHearing(tell)
    try {
      await streamChat(
        {
          account,
          model: model.id,
          messages: await chatMessages(messagesOf(draft, side, next), role === 'operator', controller.signal),
          fields: fieldsOf(draft.parameters, model.parameters),
          signal: controller.signal,
        },
        { onBegin: (request_id) => tell({ request_id: request_id ?? undefined }), onPiece: heard.add },
      )
      tell({ ...heard.end(), state: 'done', ended_ms: Date.now() })
    } catch (thrown) {
      const ended = { ...heard.end(), ended_ms: Date.now() }
      if (controller.signal.aborted) tell({ ...ended, state: 'stopped' })
      else
        tell({
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
    const answers = chosen.map((model, side) => (model ? begun(draft, side, next) : null))
    dispatch({ type: 'asked', turn: { id, ...next, answers } })
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

const begun = (draft: Draft, side: number, next: Asked): Answer => ({
  text: '',
  thinking: '',
  state: 'streaming',
  asked_tokens: estimatedPrompt(messagesOf(draft, side, next)),
  started_ms: Date.now(),
})

type Heard = Pick<Answer, 'text' | 'thinking'>

/** Gathers pieces, and tells of them now and then. */
function createHearing(tell: (heard: Heard) => void) {
  let heard: Heard = { text: '', thinking: '' }
  let timer: ReturnType<typeof setTimeout> | undefined
  return {
    add(piece: Heard): void {
      heard = { text: heard.text + piece.text, thinking: heard.thinking + piece.thinking }
      timer ??= setTimeout(() => {
        timer = undefined
        tell(heard)
      }, DRAW_EVERY_MS)
    },
    /** All that was heard. */
    end(): Heard {
      clearTimeout(timer)
      return heard
    },
  }
}
