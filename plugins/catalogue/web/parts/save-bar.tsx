// The end of a draft: a review with the save, or discarding.
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

export function SaveBar({ draft }: { draft: Draft }) {
  // Unfinished input may correct the mistakes; a click on the button commits it.
  const has_mistakes = draft.mistakes.length > 0 && !draft.is_changing
  // The click may have committed a field whose edit is still running: `settled` waits for it.
  const { reviewing, open, cancel } = useReview(draft.settled, draft.file, draft.save)
  const queries = useQueryClient()
  const failure = reviewing.failure ?? open.error
  /** Discards the draft and reloads the file: saving the draft would undo the other save. */
  const reload = () => {
    cancel()
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
      <ReviewDialog reviewing={reviewing} title="Save changes?" verb="Save changes" has_own_failure>
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

/** On a conflict, shows the other change and offers to copy this draft's text. */
function FailureNotice({ draft, failure, reload }: FailureNoticeProps) {
  const is_conflict = failure instanceof ApiError && failure.code === 'configuration_changed'
  return (
    <Notice tone="bad" alert>
      <p>
        <Words>{failure.message}</Words>
      </p>
      {is_conflict && <OtherChanges file={draft.file} />}
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

function OtherChanges({ file }: Pick<Draft, 'file'>) {
  const { data } = useApi(['catalogue', 'meanwhile', file.hash], () => api.catalogue.get())
  if (!data || data.text === null || file.text === null) return null
  return (
    <details className="changed-lines" open>
      <summary>Changed since you opened it</summary>
      <Diff before={file.text} after={data.text} />
    </details>
  )
}
