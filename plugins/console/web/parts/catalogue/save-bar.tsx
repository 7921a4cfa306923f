// The end of a draft: what it changes is shown once more, and then it is saved, or given up.
import { useMutation } from '@tanstack/react-query'
import { Save } from 'lucide-react'
import { useState } from 'react'
import { ApiError, api, ask } from '../../app/client.ts'
import { Button } from '../button.tsx'
import { Copy } from '../copy.tsx'
import { Notice } from '../notice.tsx'
import { Words } from '../words.tsx'
import type { Draft } from './draft.ts'
import { type Review, ReviewDialog } from './review-dialog.tsx'
import type { Saving } from './saving.ts'

/** Buttons for a page's head, and the dialog that they open. */
export function SaveBar({ draft }: { draft: Draft }) {
  const [review, setReview] = useState<Review | null>(null)
  const has_mistakes = draft.mistakes.length > 0
  const open = useMutation({
    async mutationFn() {
      save.reset()
      // A field that this very click has left is still being written.
      const text = await draft.settled()
      if (text !== null) setReview({ text, ...(await ask(api.catalogue.previews.post({ text }))) })
    },
  })
  const save = useMutation({
    mutationFn: (saving: Saving) => draft.save.runOrThrow(saving),
    onSuccess: () => setReview(null),
  })
  const failure = save.error ?? open.error
  return (
    <>
      {draft.is_changed && (
        <>
          <Button onClick={draft.discard}>Discard changes</Button>
          <Button
            look="primary"
            icon={Save}
            busy={open.isPending || draft.is_checking}
            disabled={has_mistakes}
            title={has_mistakes ? 'A catalogue with mistakes cannot be saved.' : undefined}
            onClick={() => open.mutate()}
          >
            Review and save
          </Button>
        </>
      )}
      {failure && review === null && <FailureNotice draft={draft} failure={failure} />}
      <ReviewDialog
        review={review}
        before={draft.file.text ?? ''}
        title="Save the catalogue?"
        verb="Save catalogue"
        busy={save.isPending}
        onClose={() => setReview(null)}
        onSave={(text) => save.mutate({ text, base: draft.file })}
      >
        {failure && <FailureNotice draft={draft} failure={failure} />}
      </ReviewDialog>
    </>
  )
}

/** Nobody's edit is lost: neither that of whoever was first, nor this one. */
function FailureNotice({ draft, failure }: { draft: Draft; failure: Error }) {
  const is_conflict = failure instanceof ApiError && failure.code === 'configuration_changed'
  return (
    <Notice tone="bad" alert>
      <p>
        <Words>{failure.message}</Words>
      </p>
      {is_conflict && (
        <div className="row">
          <Copy text={draft.text} what="text with your changes" label="Copy my text" look="plain" />
          <Button small onClick={draft.discard}>
            Reload file
          </Button>
        </div>
      )}
    </Notice>
  )
}
