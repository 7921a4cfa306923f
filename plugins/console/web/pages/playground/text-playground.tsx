// The text playground: models and their settings beside a conversation that streams.
import { Code as CodeIcon, Eraser, Send, Square } from 'lucide-react'
import { type KeyboardEvent, useEffect, useState } from 'react'
import { toast } from '../../app/toasts.tsx'
import { Button } from '../../parts/button.tsx'
import { TextArea } from '../../parts/input.tsx'
import { CodeDialog } from './code-dialog.tsx'
import { Turns } from './conversation.tsx'
import type { TextModel } from './models.ts'
import { TextSettings } from './text-settings.tsx'
import { useConversation } from './use-conversation.ts'

export interface TextPlaygroundProps {
  models: readonly TextModel[]
  account: string | undefined
  onCharged: () => void
}

export function TextPlayground({ models, account, onCharged }: TextPlaygroundProps) {
  const { draft, set, send, stop, is_streaming } = useConversation({ models, account, onCharged })
  const [shows_code, setShowsCode] = useState(false)
  const chosen = draft.models.map((id) => models.find((model) => model.id === id))

  useEffect(() => {
    // The first visit, or a model that is gone: the first one of the catalogue.
    const known = draft.models.filter((id) => models.some((model) => model.id === id))
    const first = models[0]?.id
    if (known.length !== draft.models.length || known.length === 0)
      set({ models: known.length > 0 ? known : first === undefined ? [] : [first] })
  }, [draft.models, models, set])

  function clear(): void {
    const { turns, question } = draft
    set({ turns: [] })
    toast({ text: 'The conversation is cleared.', undo: () => set({ turns, question }) })
  }

  return (
    <div className="play">
      <div className="play-main">
        <Turns turns={draft.turns} models={chosen} />
        <Composer
          value={draft.question}
          onChange={(question) => set({ question })}
          onSend={send}
          onStop={stop}
          is_streaming={is_streaming}
        >
          {draft.turns.length > 0 && (
            <Button look="quiet" icon={Eraser} disabled={is_streaming} onClick={clear}>
              Clear
            </Button>
          )}
          <Button look="quiet" icon={CodeIcon} onClick={() => setShowsCode(true)}>
            Copy as code
          </Button>
        </Composer>
      </div>
      <TextSettings draft={draft} set={set} models={models} is_streaming={is_streaming} />
      <CodeDialog open={shows_code} onClose={() => setShowsCode(false)} draft={draft} models={chosen} />
    </div>
  )
}

interface ComposerProps {
  value: string
  onChange: (value: string) => void
  onSend: () => void
  onStop: () => void
  is_streaming: boolean
  children: React.ReactNode
}

/** Enter sends; with Shift it is a new line. Esc stops the answer. */
function Composer({ value, onChange, onSend, onStop, is_streaming, children }: ComposerProps) {
  function press(event: KeyboardEvent): void {
    if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) {
      event.preventDefault()
      onSend()
    }
    if (event.key === 'Escape' && is_streaming) onStop()
  }
  return (
    <div className="play-composer">
      <TextArea
        aria-label="Message"
        placeholder="Ask the model something"
        rows={3}
        value={value}
        onChange={onChange}
        onKeyDown={press}
      />
      <div className="spread">
        <div className="row">{children}</div>
        <div className="row">
          <span className="small soft play-composer-keys">Enter sends, Shift+Enter is a new line</span>
          {is_streaming ? (
            <Button icon={Square} onClick={onStop}>
              Stop
            </Button>
          ) : (
            <Button look="primary" icon={Send} onClick={onSend} disabled={value.trim() === ''}>
              Send
            </Button>
          )}
        </div>
      </div>
    </div>
  )
}
