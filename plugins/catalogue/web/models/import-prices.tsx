// The import of a public price list, with a review of the changed costs and prices.
import { FileDown, Upload } from 'lucide-react'
import { useRef, useState } from 'react'
import { Link } from 'wouter'
import { type AnswerOf, type api, sendRaw } from '../../../console/web/app/client.ts'
import { Button } from '../../../console/web/parts/button.tsx'
import { AsCommand } from '../../../console/web/parts/code.tsx'
import { Dialog } from '../../../console/web/parts/dialog.tsx'
import { FileButton } from '../../../console/web/parts/files.tsx'
import { Notice } from '../../../console/web/parts/notice.tsx'
import { useFile } from '../parts/draft.ts'
import { ReviewDialog, useReview } from '../parts/review-dialog.tsx'
import { useSaveCatalogue } from '../parts/saving.ts'
import { type Block, type CatalogueFile, textAt } from '../parts/values.ts'

const LISTS = {
  litellm: 'https://github.com/BerriAI/litellm/blob/main/model_prices_and_context_window.json',
  openrouter: 'https://openrouter.ai/api/v1/models',
}

export function ImportPrices() {
  const [is_open, setOpen] = useState(false)
  const file = useFile()
  return (
    <>
      <Button icon={FileDown} disabled={!file.data?.values} onClick={() => setOpen(true)}>
        Import prices
      </Button>
      {file.data && <PriceImport file={file.data} is_open={is_open} close={() => setOpen(false)} />}
    </>
  )
}

type ListDraft = AnswerOf<typeof api.prices.import.post>

interface PriceImportProps {
  file: CatalogueFile
  is_open: boolean
  close: () => void
}

function PriceImport({ file, is_open, close }: PriceImportProps) {
  const chosen = useRef<File | null>(null)
  const [draft, setDraft] = useState<ListDraft | null>(null)
  const { reviewing, open } = useReview(
    async () => {
      const answer = await sendRaw('/console/api/prices/import', { method: 'POST', body: chosen.current })
      const drafted = (await answer.json()) as ListDraft
      setDraft(drafted)
      return drafted.changes === 0 ? null : drafted.text
    },
    file,
    useSaveCatalogue(),
  )
  const markup = textAt((file.values ?? {}) as Block, 'catalogue', 'markup')
  const choose = ([list]: File[]) => {
    chosen.current = list ?? null
    setDraft(null)
    open.mutate(undefined, { onSuccess: (has_review) => has_review && close() })
  }
  return (
    <>
      <Dialog open={is_open} onClose={close} title="Import prices">
        <div className="stack">
          <p>
            Download the price list of <a href={LISTS.litellm}>LiteLLM</a> or{' '}
            <a href={LISTS.openrouter}>OpenRouter</a>, and choose it here. Its prices become the costs of your
            routes. You review every change before it is saved.
          </p>
          <p>
            {markup === ''
              ? 'First set your markup: how far your prices are above the costs.'
              : `Your prices become the cost + ${markup} %.`}{' '}
            <Link href="/settings/catalogue">{markup === '' ? 'Set' : 'Change'} markup</Link>
          </p>
          {open.error && <Notice tone="bad">{open.error.message}</Notice>}
          {draft?.changes === 0 && <Notice>This list changes nothing.</Notice>}
          {draft?.changes === 0 && <UnchangedRoutes left={draft.left} />}
          {markup !== '' && (
            <div>
              <FileButton
                icon={Upload}
                look="primary"
                accept=".json"
                single
                busy={open.isPending}
                onFiles={choose}
              >
                Choose a list
              </FileButton>
            </div>
          )}
          <AsCommand command="tollgate prices import model_prices_and_context_window.json" />
        </div>
      </Dialog>
      <ReviewDialog reviewing={reviewing} title="Import these prices?" verb="Import prices">
        {draft?.warnings.map((words) => (
          <Notice key={words} tone="warn">
            {words}
          </Notice>
        ))}
        {draft && <UnchangedRoutes left={draft.left} />}
      </ReviewDialog>
    </>
  )
}

const UnchangedRoutes = ({ left }: Pick<ListDraft, 'left'>) =>
  left.length > 0 && (
    <p className="soft">
      Unchanged: {left.map(({ model, provider, reason }) => `${model} at ${provider} (${reason})`).join(', ')}
      .
    </p>
  )
