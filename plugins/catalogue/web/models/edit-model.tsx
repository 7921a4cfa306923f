// A model's price beside its costs, and the form that changes the model in the catalogue, or takes it out.
import { History, Pencil, Trash2 } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { Button, ButtonLink } from '../../../console/web/parts/button.tsx'
import { Notice } from '../../../console/web/parts/notice.tsx'
import { Section } from '../../../console/web/parts/page.tsx'
import { PriceTable } from '../../../prices/web/price-words.tsx'
import { keptDraft, useDraft, useFile } from '../parts/draft.ts'
import { ModelFields } from '../parts/model-fields.tsx'
import { SaveBar } from '../parts/save-bar.tsx'
import { type Block, blocksOf, type CatalogueFile, textAt } from '../parts/values.ts'

type EditModelProps = Parameters<typeof PriceTable>[0] & { id: string }

export function EditModel({ id, ...prices }: EditModelProps) {
  // Where a draft was left, it goes on.
  const [is_open, setOpen] = useState(() => keptDraft()?.made_at === location.pathname)
  const file = useFile()
  if (is_open && file.data) return <ModelForm id={id} read={file.data} close={() => setOpen(false)} />
  return (
    <Section
      title="Price"
      actions={
        <>
          <ButtonLink href={`/system/configuration/history?part=${encodeURIComponent(id)}`} icon={History}>
            Price history
          </ButtonLink>
          <Button icon={Pencil} onClick={() => setOpen(true)}>
            Edit model
          </Button>
        </>
      }
    >
      <PriceTable {...prices} />
    </Section>
  )
}

/** The ids of the file's models. */
const modelsIn = (values: unknown): string[] =>
  blocksOf(values as Block | null, 'models').map((model) => textAt(model, 'id'))

function ModelForm({ id, read, close }: { id: string; read: CatalogueFile; close: () => void }) {
  const draft = useDraft(read)
  const [, go] = useLocation()
  const saved = modelsIn(read.values)
  // A model that is given another id is still the one that was opened.
  const [{ at, count }] = useState(() => ({ at: saved.indexOf(id), count: saved.length }))
  const drafted = blocksOf(draft.values, 'models')
  const model = drafted.length < count ? undefined : drafted[at]
  const path = ['models', at]
  // Once it is saved, its page is that of its new id; of a removed one there is none.
  const next = saved.includes(id) ? undefined : saved.length < count ? '' : saved[at]
  useEffect(() => {
    if (next !== undefined) go(next === '' ? '/models' : `/models/${encodeURIComponent(next)}`)
  }, [next, go])
  return (
    <Section
      title="Edit model"
      actions={
        <>
          {!draft.is_changed && !draft.is_changing && (
            <>
              <Button icon={Trash2} onClick={() => draft.put(path, undefined)}>
                Remove model
              </Button>
              <Button onClick={close}>Close</Button>
            </>
          )}
          <SaveBar draft={draft} />
        </>
      }
    >
      <div className="stack">
        {draft.failure && <Notice tone="bad">{draft.failure}</Notice>}
        {model ? (
          <ModelFields draft={draft} path={path} model={model} />
        ) : (
          <Notice tone="warn">
            The draft has no such model. Review it to remove the model from the catalogue, or discard your
            changes. <Link href="/models">All models</Link>
          </Notice>
        )}
      </div>
    </Section>
  )
}
