// The notice in the place of an account's pictures: the operator sees them by asking for them.
import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { Notice } from './notice.tsx'

/** `children`: whose they are, and what of them is not shown. */
export function HiddenPictures({ children, onShow }: { children: ReactNode; onShow: () => void }) {
  return (
    <Notice>
      <p>{children} It is logged then.</p>
      <p className="notice-deed">
        <Button small onClick={onShow}>
          Show pictures
        </Button>
      </p>
    </Notice>
  )
}
