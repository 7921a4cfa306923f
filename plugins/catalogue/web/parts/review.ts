// The review of a text of the catalogue: the reviewed text is the one that is saved.
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { type AnswerOf, api, send } from '../../../console/web/app/client.ts'
import type { Action } from '../../../console/web/parts/action.ts'
import type { Saving } from './saving.ts'
import type { CatalogueFile } from './values.ts'

/** A text under review, with its changes. */
export interface Review extends Pick<AnswerOf<typeof api.catalogue.previews.post>, 'changes' | 'rating'> {
  text: string
}

export interface Reviewing {
  /** Null: nothing is. */
  review: Review | null
  /** The file's text as it is. */
  before: string
  is_saving: boolean
  close: () => void
  save: (text: string) => void
}

/**
 * Opens a review, saves what it shows, and closes it then.
 *
 * @param textOf what to review; null if it cannot be
 * @param file what it is saved in the place of
 */
export function useReview(
  textOf: () => Promise<string | null>,
  file: CatalogueFile,
  action: Action<Saving, unknown>,
) {
  const [review, setReview] = useState<Review | null>(null)
  const close = () => setReview(null)
  const open = useMutation({
    async mutationFn() {
      save.reset()
      const text = await textOf()
      if (text !== null) setReview({ text, ...(await send(api.catalogue.previews.post({ text }))) })
    },
  })
  const save = useMutation({
    mutationFn: (text: string) => action.runOrThrow({ text, base: file }),
    onSuccess: close,
  })
  const reviewing: Reviewing = {
    review,
    before: file.text ?? '',
    is_saving: save.isPending,
    close,
    save: (text) => save.mutate(text),
  }
  return { reviewing, open, save_failure: save.error }
}
