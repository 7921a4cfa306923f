// A form: Enter sends it, an error stands at its field, and nothing that was typed is lost.

import { Form as Base } from '@base-ui/react/form'
import { createContext, type FormEvent, type ReactNode, useContext, useState } from 'react'
import { flushSync } from 'react-dom'
import { ApiError, messageOf } from '../app/client.ts'
import { Button, type ButtonProps } from './button.tsx'
import { capital } from './capital.ts'
import { Notice } from './notice.tsx'
import { Words } from './words.tsx'

/** Whether the form around a button is being sent. */
const Busy = createContext(false)

/** What sending it failed by: at the field that the server names, if the form has it, else above all fields. */
interface Failure {
  errors?: Record<string, string>
  notice?: string
}

interface FormProps {
  /** Sends it. The form shows its error: at the field that the error names, else above the fields. */
  submit: () => Promise<unknown>
  /** The fields, then `FormActions`. */
  children: ReactNode
  'aria-label'?: string
}

/** A form, with `SubmitButton` among its children. */
export function Form({ submit, children, ...rest }: FormProps) {
  const [{ errors, notice }, setFailure] = useState<Failure>({})
  const [busy, setBusy] = useState(false)

  async function send(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault()
    event.stopPropagation()
    if (busy) return
    const form = event.currentTarget
    setBusy(true)
    try {
      await submit()
    } catch (thrown) {
      const failure = failureOf(thrown, form)
      setFailure(failure)
      const [name = ''] = Object.keys(failure.errors ?? {})
      const field = form.elements.namedItem(name)
      // It may stand outside of the screen.
      if (field instanceof HTMLElement) field.focus()
    } finally {
      setBusy(false)
    }
  }

  return (
    <Busy value={busy}>
      <Base
        className="form"
        errors={errors}
        // Base UI does not send a form that shows an error; but what is wrong may lie in another field than the one that shows it.
        onSubmitCapture={() => flushSync(() => setFailure({}))}
        onSubmit={(event) => void send(event)}
        {...rest}
      >
        {notice && (
          <Notice tone="bad" alert>
            <Words>{notice}</Words>
          </Notice>
        )}
        {children}
      </Base>
    </Busy>
  )
}

function failureOf(thrown: unknown, form: HTMLFormElement): Failure {
  const message = messageOf(thrown)
  const name = thrown instanceof ApiError ? thrown.param : null
  if (!name || !form.elements.namedItem(name)) return { notice: message }
  return { errors: { [name]: withoutName(message, name) } }
}

/** At its field, which has a label, the name that programs know it by says nothing. */
export const withoutName = (message: string, name: string): string =>
  message.startsWith(`${name}: `) ? adviceIn(message.slice(name.length + 2)) : message

/** The advice of a field from what it "must be". */
export function adviceIn(words: string): string {
  const advice = words.replace(
    /^(?:is missing; it )?must (?:be|have) (?=(?:a|an|at|one|the) |["\d])/,
    'enter ',
  )
  return capital(advice)
}

/** The buttons below a form. */
export const FormActions = ({ children }: { children: ReactNode }) => (
  <div className="form-actions">{children}</div>
)

type SubmitProps = Omit<ButtonProps, 'type' | 'busy'>

/** The buttons of a form in a dialog. */
export const SubmitOrCancel = ({ onCancel, ...submit }: SubmitProps & { onCancel: () => void }) => (
  <FormActions>
    <Button onClick={onCancel}>Cancel</Button>
    <SubmitButton {...submit} />
  </FormActions>
)

/** The button that sends the form it stands in. */
export function SubmitButton({ look = 'primary', ...rest }: SubmitProps) {
  return <Button look={look} {...rest} type="submit" busy={useContext(Busy)} />
}
