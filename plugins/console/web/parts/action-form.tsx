// Form that runs one action, such as in a dialog: fields, "Cancel" and the action's button, and the action as a command.
import type { ReactNode } from 'react'
import { useAction } from './action.ts'
import type { Look } from './button.tsx'
import { AsCommand } from './code.tsx'
import { Form, SubmitOrCancel } from './form.tsx'

interface ActionFormProps<Result> {
  /** Its name, for screen readers: "Redeem voucher". */
  label: string
  work: () => Promise<Result>
  /** Subjects of the queries that it changes. */
  changes: readonly string[]
  /** Returns the words of the toast. */
  done?: (result: Result) => string
  onClose: () => void
  /** Called after a success instead of `onClose`. */
  onDone?: (result: Result) => void
  /** The text of the button that runs the action. */
  verb: string
  look?: Look
  disabled?: boolean
  command?: string | false | undefined
  /** The fields. */
  children: ReactNode
}

export function ActionForm<Result>(props: ActionFormProps<Result>) {
  const { label, work, changes, done, onClose, onDone = onClose, verb, command, children, ...button } = props
  const { runOrThrow } = useAction({
    work,
    changes,
    ...(done && { done: (_, result: Result) => ({ text: done(result) }) }),
  })
  return (
    <Form submit={async () => onDone(await runOrThrow(undefined))} aria-label={label}>
      {children}
      <SubmitOrCancel onCancel={onClose} {...button}>
        {verb}
      </SubmitOrCancel>
      {command && <AsCommand command={command} />}
    </Form>
  )
}
