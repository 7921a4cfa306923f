// The review of a text of the catalogue before it is saved: prices, models, last week's calls, lines.
import type { ReactNode } from 'react'
import { Button } from '../../../console/web/parts/button.tsx'
import { Dialog, DialogActions } from '../../../console/web/parts/dialog.tsx'
import { Notice } from '../../../console/web/parts/notice.tsx'
import { Rating } from '../../../prices/web/rating.tsx'
import { ChangeList } from './changes.tsx'
import { Diff } from './diff.tsx'
import type { Reviewing } from './review.ts'

interface ReviewDialogProps {
  reviewing: Reviewing
  title: string
  verb: string
  /** Notices: why it failed, what to mind. */
  children?: ReactNode
}

export function ReviewDialog({ reviewing, title, verb, children }: ReviewDialogProps) {
  const { review, before, is_saving, close, save } = reviewing
  return (
    <Dialog open={review !== null} onClose={close} title={title} wide>
      {review && (
        <div className="stack">
          <ChangeList changes={review.changes} />
          {review.rating && <Rating result={review.rating} />}
          <LostKeys before={before} after={review.text} />
          {children}
          <details className="changed-lines">
            <summary>Changed lines</summary>
            <Diff before={before} after={review.text} />
          </details>
          <p className="soft">It applies to new calls at once. Running calls keep their prices.</p>
          <DialogActions>
            <Button onClick={close}>Cancel</Button>
            <Button look="primary" busy={is_saving} onClick={() => save(review.text)}>
              {verb}
            </Button>
          </DialogActions>
        </div>
      )}
    </Dialog>
  )
}

const MARK = /hidden:[\w-]{8}/g

/** Nothing else has them. */
function LostKeys({ before, after }: { before: string; after: string }) {
  const lost = new Set(before.match(MARK)).difference(new Set(after.match(MARK))).size
  if (lost === 0) return null
  return (
    <Notice tone="warn">
      {lost === 1 ? 'A key is' : `${String(lost)} keys are`} removed from the file. Undo brings keys back for
      five minutes; later, enter them again.
    </Notice>
  )
}
