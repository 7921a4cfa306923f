// Notice instead of an account's pictures, with a button by which the operator requests them.

import type { ReactNode } from 'react'
import { useMay } from '../../console/web/app/session.tsx'
import { Button } from '../../console/web/parts/button.tsx'
import { Notice } from '../../console/web/parts/notice.tsx'

interface HiddenPicturesProps {
  /** A text that says to whom the pictures belong and what is hidden. */
  children: ReactNode
  verb?: string
  onShow: () => void
}

export function HiddenPictures({ children, verb = 'Show images', onShow }: HiddenPicturesProps) {
  // Auditors see only that the pictures exist.
  if (!useMay('see_contents'))
    return (
      <Notice>
        Prompts, file names and pictures are private to their account. Your role does not show them.
      </Notice>
    )
  return (
    <Notice>
      <p>{children} Showing them is logged.</p>
      <p className="notice-action">
        <Button small onClick={onShow}>
          {verb}
        </Button>
      </p>
    </Notice>
  )
}
