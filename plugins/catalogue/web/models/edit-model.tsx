// The page Edit model: its price and costs, routes and limits, and its removal.
import { Trash2 } from 'lucide-react'
import { useEffect } from 'react'
import { Link, useLocation } from 'wouter'
import type { PageProps } from '../../../console/web/app/page-entry.ts'
import { Button, ButtonLink } from '../../../console/web/parts/button.tsx'
import { Notice } from '../../../console/web/parts/notice.tsx'
import { Page } from '../../../console/web/parts/page.tsx'
import { AwaitedPage } from '../../../console/web/parts/states.tsx'
import { useDraft, useFile } from '../parts/draft.ts'
import { useMarginsQuery } from '../parts/margins.tsx'
import { ModelFields } from '../parts/model-fields.tsx'
import { useOpenedBlock } from '../parts/opened-block.ts'
import { SaveBar } from '../parts/save-bar.tsx'
import { useSettings } from '../parts/schema-fields.tsx'
import { blocksOf, type CatalogueFile } from '../parts/values.ts'

export default function EditModelPage({ params }: PageProps) {
  const id = params.id ?? ''
  const file = useFile()
  // Waits for the settings too: their fields would shift the page.
  const settings = useSettings()
  const awaited = file.data ? settings : file
  if (!file.data || !settings.data) return <AwaitedPage title={`Edit ${id}`} query={awaited} />
  return <ModelForm id={id} read={file.data} />
}

const hrefOf = (id: string) => `/models/${encodeURIComponent(id)}`

function ModelForm({ id, read }: { id: string; read: CatalogueFile }) {
  const draft = useDraft(read)
  const [, go] = useLocation()
  const { place, count, renamed, is_deleted } = useOpenedBlock(draft, 'models', id)
  const drafted = blocksOf(draft.values, 'models')
  const model = drafted.length < count ? undefined : drafted[place]
  const path = ['models', place]
  const { query } = useMarginsQuery(model ?? {}, draft.values)
  // After saving, goes to the renamed model's page, or from a removed model to the list.
  const next = is_deleted ? '' : renamed
  useEffect(() => {
    if (next !== undefined) go(next === '' ? '/models' : hrefOf(next))
  }, [next, go])
  if (model && query.isPending) return <AwaitedPage title={`Edit ${id}`} query={query} />
  return (
    <Page
      title={`Edit ${id}`}
      width="form"
      actions={
        <>
          {!draft.is_changed && !draft.is_changing && (
            <>
              {model && (
                <Button icon={Trash2} onClick={() => draft.put(path, undefined)}>
                  Remove model
                </Button>
              )}
              <ButtonLink href={hrefOf(id)}>Close</ButtonLink>
            </>
          )}
          <SaveBar draft={draft} />
        </>
      }
    >
      {draft.failure && <Notice tone="bad">{draft.failure}</Notice>}
      {model ? (
        <ModelFields draft={draft} path={path} model={model} />
      ) : (
        <Notice tone="warn">
          {place < 0
            ? 'The catalogue has no such model, or cannot be read as a form. '
            : 'Review the draft to remove the model from the catalogue, or discard your changes. '}
          <Link href="/models">All models</Link>
        </Notice>
      )}
    </Page>
  )
}
