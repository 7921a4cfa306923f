// The image playground: a prompt, pictures to work from, and what was made, the newest first.
import { WandSparkles } from 'lucide-react'
import { type KeyboardEvent, useState } from 'react'
import { api } from '../../console/web/app/client.ts'
import { useAsk } from '../../console/web/app/query.ts'
import { useViewer } from '../../console/web/app/session.tsx'
import { Button } from '../../console/web/parts/button.tsx'
import { TextArea } from '../../console/web/parts/input.tsx'
import { Loaded } from '../../console/web/parts/states.tsx'
import { type DrawingAsked, verbFor } from './generation.ts'
import { Drawings, RecentImages } from './generations.tsx'
import { EMPTY_FORM, type ImageForm, ImageSettings } from './image-settings.tsx'
import type { ImageModel } from './models.ts'
import { References } from './references.tsx'
import { Sum } from './image-quote.tsx'
import { useDrawings } from './use-generations.ts'
import { useReferences } from './use-references.ts'

export interface ImagePlaygroundProps {
  models: readonly ImageModel[]
  account: string | undefined
  onCharged: () => void
}

const RECENT = 12

export function ImagePlayground({ models, account, onCharged }: ImagePlaygroundProps) {
  const is_operator = useViewer().role === 'operator'
  const [form, setForm] = useState<ImageForm>(EMPTY_FORM)
  const [prompt, setPrompt] = useState('')
  const { references, setReferences, isChosen, toggle } = useReferences()
  const { drawings, draw } = useDrawings(onCharged)
  const model = models.find(({ id }) => id === form.model) ?? models[0]
  const recent = useAsk(['images', 'recent', account], () =>
    api.images.get({
      query: { limit: RECENT, account, content: is_operator ? 'shown' : undefined },
    }),
  )
  const asked = ({ id, max_n }: ImageModel): DrawingAsked => ({
    account,
    model: id,
    prompt: prompt.trim(),
    n: Math.min(form.n, max_n),
    size: form.size,
    quality: form.quality,
    references,
  })
  function begin(): void {
    if (prompt.trim() !== '' && model) draw(asked(model))
  }

  return (
    <div className="play">
      <div className="play-main">
        <div className="stack">
          <PromptBox
            value={prompt}
            onChange={setPrompt}
            onBegin={begin}
            placeholder={references.length === 0 ? 'Describe a picture' : 'Describe the change'}
          />
          <References references={references} onChange={setReferences} account={account} />
          <div className="row">
            <Button look="primary" icon={WandSparkles} disabled={prompt.trim() === ''} onClick={begin}>
              {verbFor(references)}
            </Button>
            {model && <Sum asked={asked(model)} />}
            <span className="small soft play-composer-keys">Enter starts, Shift+Enter adds a line</span>
          </div>
        </div>
        <Drawings drawings={drawings} is_operator={is_operator} isChosen={isChosen} onToggle={toggle} />
        <Loaded query={recent} rows={4}>
          {({ images }) => (
            <RecentImages
              images={images.filter(({ id }) => !drawings.some(({ ids }) => ids.includes(id)))}
              is_operator={is_operator}
              isChosen={isChosen}
              onToggle={toggle}
            />
          )}
        </Loaded>
      </div>
      {model && <ImageSettings form={form} set={setForm} models={models} model={model} />}
    </div>
  )
}

interface PromptBoxProps {
  value: string
  onChange: (value: string) => void
  onBegin: () => void
  placeholder: string
}

/** Enter begins; with Shift it is a new line. */
function PromptBox({ onBegin, ...rest }: PromptBoxProps) {
  function press(event: KeyboardEvent): void {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    onBegin()
  }
  return <TextArea aria-label="Prompt" rows={3} onKeyDown={press} {...rest} />
}
