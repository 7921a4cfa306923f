// The text playground: models and their settings beside a conversation that streams, and the conversation as code.
import { Code as CodeIcon, Eraser, Send } from 'lucide-react'
import { useState } from 'react'
import { brand } from '../../console/web/app/brand.ts'
import { useBaseUrl, useViewer } from '../../console/web/app/session.tsx'
import { toast } from '../../console/web/app/toasts.tsx'
import { Button } from '../../console/web/parts/button.tsx'
import { Choices } from '../../console/web/parts/choices.tsx'
import { CallSnippet } from '../../console/web/parts/code-samples/call-snippet.tsx'
import { Dialog } from '../../console/web/parts/dialog.tsx'
import { Composer } from './composer.tsx'
import { Turns } from './conversation.tsx'
import { QuestionCost } from './cost.tsx'
import { type Draft, fieldsOf, messagesOf, type TextModel } from './request.ts'
import { sendText } from './send.ts'
import { TextSettings } from './settings.tsx'
import { useRequests } from './use-requests.ts'

interface TextPageProps {
  models: readonly TextModel[]
  account: string | undefined
  onCharged: () => void
}

const MAX_PICTURES = 100

export function TextPage({ models, account, onCharged }: TextPageProps) {
  const is_operator = useViewer().side === 'operator'
  const { draft, set, send, stop, is_running } = useRequests({
    models,
    is_kept: true,
    onCharged,
    async run({ draft, side, model, next, signal, onProgress }) {
      const fields = fieldsOf(draft.parameters, model.parameters)
      const sent = { account, is_operator, model: model.id, fields, signal }
      await sendText(sent, messagesOf(draft, side, next), onProgress)
    },
  })
  const [shows_code, setShowsCode] = useState(false)
  const chosen = draft.models.map((id) => models.find((model) => model.id === id))

  function clear(): void {
    const { turns, question } = draft
    set({ turns: [] })
    toast({ text: 'Conversation cleared', subject: 'conversation', undo: () => set({ turns, question }) })
  }

  return (
    <div className="play">
      <div className="play-main">
        <Turns draft={draft} models={chosen} />
        <Composer
          {...{ draft, set, account }}
          label="Message"
          placeholder="Write a message"
          max_pictures={MAX_PICTURES}
          verb="Send"
          icon={Send}
          onSend={() => {
            if (!is_running) send({ question: '', pictures: [] })
          }}
          onStop={is_running ? stop : undefined}
          sum={<QuestionCost draft={draft} models={chosen} />}
        >
          {draft.turns.length > 0 && (
            <Button look="quiet" icon={Eraser} disabled={is_running} onClick={clear}>
              Clear
            </Button>
          )}
          <Button look="quiet" icon={CodeIcon} onClick={() => setShowsCode(true)}>
            Copy as code
          </Button>
        </Composer>
      </div>
      <TextSettings {...{ draft, set, models, is_running }} />
      <Dialog open={shows_code} onClose={() => setShowsCode(false)} title="Copy as code" wide>
        <AsCode draft={draft} models={chosen} />
      </Dialog>
    </div>
  )
}

/** Sample code of the request: with the typed message, or else with the last question. */
function AsCode({ draft, models }: { draft: Draft; models: readonly (TextModel | undefined)[] }) {
  const [side, setSide] = useState('0')
  const base_url = useBaseUrl()
  const at = Number(side)
  const model = models[at] ?? models[0]
  const typed = draft.question.trim()
  const question = typed || (draft.turns.length > 0 ? undefined : 'Hello')
  const all = messagesOf(draft, at, question === undefined ? undefined : { ...draft, question })
  const messages = all.at(-1)?.role === 'assistant' ? all.slice(0, -1) : all
  const call = {
    base_url,
    model: model?.id ?? '',
    messages,
    fields: fieldsOf(draft.parameters, model?.parameters ?? []),
  }
  return (
    <>
      <CallSnippet call={call}>
        {models.length > 1 && (
          <Choices
            label="Model"
            options={models.map((each, index) => ({ value: String(index), label: each?.id ?? '' }))}
            value={side}
            onChange={setSide}
          />
        )}
      </CallSnippet>
      <p className="small soft">
        Set the environment variable {brand.key_variable} to one of your keys. Each library can call any
        model.
        {messages.some(({ pictures }) => pictures) && ' Replace the names of images with their data.'}
      </p>
    </>
  )
}
