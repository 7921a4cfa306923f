// A button whose request a dialog confirms, naming the consequence.
import { useState } from 'react'
import { useAction } from './action.ts'
import { Button, type ButtonProps } from './button.tsx'
import { ConfirmDialog, type ConfirmDialogProps } from './dialog.tsx'

interface ConfirmButtonProps<Answer>
  extends Omit<ButtonProps, 'title' | 'onClick'>,
    Pick<ConfirmDialogProps, 'title' | 'consequence' | 'verb'> {
  work: () => Promise<Answer>
  /** Subjects of the queries that it changes. */
  changes: readonly string[]
  /** Returns the words of the toast. */
  done?: (answer: Answer) => string
}

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
