// Buttons with their dialog: one with any content, and one whose request is confirmed.
import { type ReactNode, useState } from 'react'
import { useAction } from './action.ts'
import { Button, type ButtonProps } from './button.tsx'
import { ConfirmDialog, type ConfirmDialogProps, Dialog } from './dialog.tsx'

interface DialogButtonProps extends Omit<ButtonProps, 'title' | 'content' | 'onClick'> {
  title: string
  content: (close: () => void) => ReactNode
}

export function DialogButton({ title, content, ...button }: DialogButtonProps) {
  const [is_open, setOpen] = useState(false)
  const close = () => setOpen(false)
  return (
    <>
      <Button {...button} onClick={() => setOpen(true)} />
      <Dialog open={is_open} onClose={close} title={title}>
        {is_open && content(close)}
      </Dialog>
    </>
  )
}

interface ConfirmButtonProps<Answer>
  extends Omit<ButtonProps, 'title' | 'onClick'>,
    Pick<ConfirmDialogProps, 'title' | 'consequence' | 'verb'> {
  work: () => Promise<Answer>
  changes: readonly string[]
  done?: (answer: Answer) => string
}

/** The dialog names the consequence, shows a failure, and closes when the request succeeded. */
export function ConfirmButton<Answer>(props: ConfirmButtonProps<Answer>) {
  const { title, consequence, verb, work, changes, done, ...button } = props
  const [is_open, setOpen] = useState(false)
  const { runOrThrow } = useAction({
    work,
    changes,
    ...(done && { done: (_, answer: Answer) => ({ text: done(answer) }) }),
  })
  return (
    <>
      <Button {...button} onClick={() => setOpen(true)} />
      <ConfirmDialog
        open={is_open}
        onClose={() => setOpen(false)}
        {...{ title, consequence, verb }}
        confirm={() => runOrThrow(undefined)}
      />
    </>
  )
}
