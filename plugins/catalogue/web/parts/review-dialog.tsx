// The review of a catalogue text before it is saved: prices, models, last week's calls, and changed lines.
import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { type AnswerOf, api, send } from '../../../console/web/app/client.ts'
import type { Action } from '../../../console/web/parts/action.ts'
import { countNoun } from '../../../console/web/parts/amounts.ts'
import { Button } from '../../../console/web/parts/button.tsx'
import { Dialog, DialogActions } from '../../../console/web/parts/dialog.tsx'
import { Notice } from '../../../console/web/parts/notice.tsx'
import { Words } from '../../../console/web/parts/words.tsx'
import { Rating } from '../../../prices/web/rating.tsx'
import { BelowCost, ChangeList, isBelowCost } from './changes.tsx'
import { Diff } from './diff.tsx'
import type { SaveRequest } from './saving.ts'
import type { CatalogueFile } from './values.ts'

interface Review
  extends Pick<AnswerOf<typeof api.catalogue.previews.post>, 'changes' | 'lost_groups' | 'rating'> {
  text: string
}

interface ReviewState {
  /** Null while the dialog is closed. */
  review: Review | null
  /** The text of the file in force. */
  before: string
  is_saving: boolean
  failure: Error | null
  close: () => void
  save: (text: string) => void
}

/**
 * Opens a review, saves the reviewed text, and then closes the review.
 *
 * @param textOf returns the text to review; null if none exists
 * @param file that the text replaces
 */
export function useReview(
  textOf: () => Promise<string | null>,
  file: CatalogueFile,
  action: Action<SaveRequest, unknown>,
) {
  const [review, setReview] = useState<Review | null>(null)
  const close = () => setReview(null)
  const open = useMutation({
    async mutationFn() {
      save.reset()
      const text = await textOf()
      if (text === null) return false
      setReview({ text, ...(await send(api.catalogue.previews.post({ text }))) })
      return true
    },
  })
  const save = useMutation({
    mutationFn: (text: string) => action.runOrThrow({ text, base: file }),
    onSuccess: close,
  })
  const reviewing: ReviewState = {
    review,
    before: file.text ?? '',
    is_saving: save.isPending,
    failure: save.error,
    close,
    save: (text) => save.mutate(text),
  }
  const cancel = () => {
    close()
    open.reset()
    save.reset()
  }
  return { reviewing, open, cancel }
}

interface ReviewDialogProps {
  reviewing: ReviewState
  title: string
  verb: string
  /** Notices. */
  children?: ReactNode
  /** Set if the notices have that of a failed save, which is shown otherwise. */
  has_own_failure?: boolean
}

export function ReviewDialog({ reviewing, title, verb, children, has_own_failure }: ReviewDialogProps) {
  const { review, before, is_saving, failure, close, save } = reviewing
  return (
    <Dialog open={review !== null} onClose={close} title={title} wide>
      {review && (
        <div className="stack">
          <ChangeList changes={review.changes} />
          <BelowCost changes={review.changes} />
          <LostGroups groups={review.lost_groups} />
          {review.rating && <Rating result={review.rating} />}
          <LostKeys before={before} after={review.text} />
          {children}
          {failure && !has_own_failure && (
            <Notice tone="bad" alert>
              <Words>{failure.message}</Words>
            </Notice>
          )}
          <details className="changed-lines">
            <summary>Changed lines</summary>
            <Diff before={before} after={review.text} />
          </details>
          <p className="soft">It applies to new calls at once. Running calls keep their prices.</p>
          <DialogActions>
            <Button onClick={close}>Cancel</Button>
            <Button look="primary" busy={is_saving} onClick={() => save(review.text)}>
              {isBelowCost(review.changes) ? 'Save below cost' : verb}
            </Button>
          </DialogActions>
        </div>
      )}
    </Dialog>
  )
}

/** A warning about removed groups: their accounts keep the group's name, and pay list prices. */
function LostGroups({ groups }: { groups: Review['lost_groups'] }) {
  if (groups.length === 0) return null
  return (
    <Notice tone="warn" alert>
      {groups.map(({ name, accounts }) => (
        <p key={name}>
          {countNoun(accounts, 'account')} in the price group “{name}” will pay list prices. Move{' '}
          {accounts === 1 ? 'it' : 'them'} to another group first.
        </p>
      ))}
    </Notice>
  )
}

const MARK = /hidden:[\w-]{8}/g

/** A warning about removed keys, which exist only in the file. */
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
