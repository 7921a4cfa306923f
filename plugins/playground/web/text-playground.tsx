// The text playground: models and their settings beside a conversation that streams.
import { Code as CodeIcon, Eraser } from 'lucide-react'
import { useEffect, useState } from 'react'
import { toast } from '../../console/web/app/toasts.tsx'
import { roundedUsd } from '../../console/web/parts/amounts.ts'
import { Button } from '../../console/web/parts/button.tsx'
import { CodeDialog } from './code-dialog.tsx'
import { Composer } from './composer.tsx'
import { Turns } from './conversation.tsx'
import { type Draft, messagesOf } from './draft.ts'
import { estimatedCost, estimatedPrompt } from './estimate.ts'
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
    // On the first visit, or after a model's removal: the first one of the catalogue.
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
          pictures={draft.pictures}
          onPictures={(pictures) => set({ pictures })}
          account={account}
          onSend={send}
          onStop={stop}
          is_streaming={is_streaming}
          sum={sumOf(draft, chosen)}
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

/** The estimated cost of the typed message, without its answer. */
function sumOf(draft: Draft, chosen: readonly (TextModel | undefined)[]): string | undefined {
  if (draft.question.trim() === '') return undefined
  const costs = chosen.map((model, side) =>
    model ? estimatedCost(model, estimatedPrompt(messagesOf(draft, side, draft)), 0) : 0,
  )
  return `About ${roundedUsd(costs.reduce((sum, cost) => sum + cost, 0))} USD, and the answer`
}
