// Notice instead of an account's pictures, with a button by which the operator requests them.
import type { ReactNode } from 'react'
import { useMay } from '../../console/web/app/session.tsx'
import { useAddressState } from '../../console/web/parts/address-state.ts'
import { Button } from '../../console/web/parts/button.tsx'
import { Notice } from '../../console/web/parts/notice.tsx'

/** Whether pictures are shown: the operator's view hides them until they are requested, in the address. */
export function useContents(is_operator: boolean) {
  const [state, change] = useAddressState({ content: '' })
  const sees_contents = useMay('see_contents')
  const is_visible = !is_operator || (sees_contents && state.content === 'shown')
  return {
    is_visible,
    /** The parameter of routes. */
    content: is_operator && is_visible ? ('shown' as const) : undefined,
    show: () => change({ content: 'shown' }),
    hide: () => change({ content: undefined }),
  }
}

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
