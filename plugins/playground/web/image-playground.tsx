// The image playground: a prompt, references, and images, the newest first.
import { WandSparkles } from 'lucide-react'
import { type KeyboardEvent, useState } from 'react'
import { api } from '../../console/web/app/client.ts'
import { useAsk } from '../../console/web/app/query.ts'
import { useViewer } from '../../console/web/app/session.tsx'
import { Button } from '../../console/web/parts/button.tsx'
import { TextArea } from '../../console/web/parts/input.tsx'
import { Loaded } from '../../console/web/parts/states.tsx'
import { type ImageRequest, verbFor } from './generation.ts'
import { Generations, RecentImages } from './generations.tsx'
import { ImageQuote } from './image-quote.tsx'
import { EMPTY_FORM, type ImageForm, ImageSettings } from './image-settings.tsx'
import type { ImageModel } from './models.ts'
import { References } from './references.tsx'
import { useGenerations } from './use-generations.ts'
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
  const { generations, generate } = useGenerations(onCharged)
  const model = models.find(({ id }) => id === form.model) ?? models[0]
  const recent = useAsk(['images', 'recent', account], () =>
    api.images.get({
      query: { limit: RECENT, account, content: is_operator ? 'shown' : undefined },
    }),
  )
  const requestFor = ({ id, max_n }: ImageModel): ImageRequest => ({
    account,
    model: id,
    prompt: prompt.trim(),
    n: Math.min(form.n, max_n),
    size: form.size,
    quality: form.quality,
    references,
  })
  function start(): void {
    if (prompt.trim() !== '' && model) generate(requestFor(model))
  }

  return (
    <div className="play">
      <div className="play-main">
        <div className="stack">
          <PromptBox
            value={prompt}
            onChange={setPrompt}
            onStart={start}
            placeholder={references.length === 0 ? 'Describe a picture' : 'Describe the change'}
          />
          <References references={references} onChange={setReferences} account={account} />
          <div className="row">
            <Button look="primary" icon={WandSparkles} disabled={prompt.trim() === ''} onClick={start}>
              {verbFor(references)}
            </Button>
            {model && <ImageQuote request={requestFor(model)} />}
            <span className="small soft play-composer-keys">Enter starts, Shift+Enter adds a line</span>
          </div>
        </div>
        <Generations
          generations={generations}
          is_operator={is_operator}
          isChosen={isChosen}
          onToggle={toggle}
        />
        <Loaded query={recent} rows={4}>
          {({ images }) => (
            <RecentImages
              images={images.filter(({ id }) => !generations.some(({ ids }) => ids.includes(id)))}
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
  onStart: () => void
  placeholder: string
}

/** Enter starts; with Shift it adds a line. */
function PromptBox({ onStart, ...rest }: PromptBoxProps) {
  function press(event: KeyboardEvent): void {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    onStart()
  }
  return <TextArea aria-label="Prompt" rows={3} onKeyDown={press} {...rest} />
}
