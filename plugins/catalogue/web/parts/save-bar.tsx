// The end of a draft: a review of its changes, then the save; or it is discarded.
import { useQueryClient } from '@tanstack/react-query'
import { Save } from 'lucide-react'
import { ApiError, api } from '../../../console/web/app/client.ts'
import { useApi } from '../../../console/web/app/query.ts'
import { Button } from '../../../console/web/parts/button.tsx'
import { Copy } from '../../../console/web/parts/copy.tsx'
import { Notice } from '../../../console/web/parts/notice.tsx'
import { Words } from '../../../console/web/parts/words.tsx'
import { Diff } from './diff.tsx'
import type { Draft } from './draft.ts'
import { ReviewDialog, useReview } from './review-dialog.tsx'
import { FILE_KEY } from './saving.ts'

/** Buttons for a page's head, and the dialog that they open. */
export function SaveBar({ draft }: { draft: Draft }) {
  // The text being typed may correct them; the click on the button leaves its field.
  const has_mistakes = draft.mistakes.length > 0 && !draft.is_changing
  // A field that this very click has left is still being written.
  const { reviewing, open, save_failure, forget } = useReview(draft.settled, draft.file, draft.save)
  const queries = useQueryClient()
  const failure = save_failure ?? open.error
  /** The text under review is of the file before: it would take back what somebody else saved. */
  const reload = () => {
    forget()
    draft.discard()
    void queries.invalidateQueries({ queryKey: FILE_KEY })
  }
  const notice = failure && <FailureNotice draft={draft} failure={failure} reload={reload} />
  return (
    <>
      {(draft.is_changed || draft.is_changing) && (
        <>
          <Button onClick={draft.discard}>Discard changes</Button>
          <Button
            look="primary"
            icon={Save}
            busy={open.isPending || draft.is_checking}
            disabled={has_mistakes}
            title={has_mistakes ? 'Correct the mistakes first.' : undefined}
            onClick={() => open.mutate()}
          >
            Review and save
          </Button>
        </>
      )}
      {reviewing.review === null && notice}
      <ReviewDialog reviewing={reviewing} title="Save changes?" verb="Save changes">
        {notice}
      </ReviewDialog>
    </>
  )
}

interface FailureNoticeProps {
  draft: Draft
  failure: Error
  reload: () => void
}

/** Nobody's edit is lost: neither that of whoever was first, nor this one. */
function FailureNotice({ draft, failure, reload }: FailureNoticeProps) {
  const is_conflict = failure instanceof ApiError && failure.code === 'configuration_changed'
  return (
    <Notice tone="bad" alert>
      <p>
        <Words>{failure.message}</Words>
      </p>
      {is_conflict && <ChangedMeanwhile file={draft.file} />}
      {is_conflict && (
        <div className="row">
          <Copy text={draft.text} what="text with your changes" label="Copy my text" look="plain" />
          <Button small onClick={reload}>
            Reload file
          </Button>
        </div>
      )}
    </Notice>
  )
}

/** The changes that another save made to the file of the draft. */
function ChangedMeanwhile({ file }: Pick<Draft, 'file'>) {
  const { data } = useApi(['catalogue', 'meanwhile', file.hash], () => api.catalogue.get())
  if (!data || data.text === null || file.text === null) return null
  return (
    <details className="changed-lines" open>
      <summary>Changed since you opened it</summary>
      <Diff before={file.text} after={data.text} />
    </details>
  )
}
