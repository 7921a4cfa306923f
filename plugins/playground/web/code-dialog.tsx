// "Copy as code": the conversation as a request of a program.
import { useState } from 'react'
import { useBaseUrl } from '../../console/web/app/session.tsx'
import { Choices } from '../../console/web/parts/choices.tsx'
import { CallSnippet } from '../../console/web/parts/code-samples/call-snippet.tsx'
import { Dialog } from '../../console/web/parts/dialog.tsx'
import { type Draft, fieldsOf, messagesOf } from './draft.ts'
import type { TextModel } from './models.ts'

export interface CodeDialogProps {
  open: boolean
  onClose: () => void
  draft: Draft
  models: readonly (TextModel | undefined)[]
}

export function CodeDialog({ open, onClose, draft, models }: CodeDialogProps) {
  const [side, setSide] = useState('0')
  const base_url = useBaseUrl()
  const at = Number(side)
  const model = models[at] ?? models[0]
  const typed = draft.question.trim()
  const next =
    typed === '' && draft.turns.length > 0
      ? undefined
      : { question: typed || 'Hello', pictures: draft.pictures }
  const messages = messagesOf(draft, at, next)
  const call = {
    base_url,
    model: model?.id ?? '',
    messages: typed === '' ? withoutLastAnswer(messages) : messages,
    fields: fieldsOf(draft.parameters, model?.parameters ?? []),
  }
  return (
    <Dialog open={open} onClose={onClose} title="Copy as code" wide>
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
        Put one of your keys into the environment variable TOLLGATE_KEY. Any of the three libraries calls any
        model.
        {messages.some(({ pictures }) => pictures) && ' Replace the names of pictures with their data.'}
      </p>
    </Dialog>
  )
}

/** A request ends with the last question. */
const withoutLastAnswer = <M extends { role: string }>(messages: M[]): M[] =>
  messages.at(-1)?.role === 'assistant' ? messages.slice(0, -1) : messages
