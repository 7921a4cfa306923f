// Form with its errors at their fields. The user's input is kept when it fails.
import { Form as Base } from '@base-ui/react/form'
import { createContext, type FormEvent, type ReactNode, useContext, useState } from 'react'
import { flushSync } from 'react-dom'
import { ApiError, messageOf } from '../app/client.ts'
import { Button, type ButtonProps } from './button.tsx'
import { capital } from './capital.ts'
import { Notice } from './notice.tsx'
import { Words } from './words.tsx'

const Busy = createContext(false)

/** The error of a submit: at the field that the server names, if the form has it, else above all fields. */
interface Failure {
  errors?: Record<string, string>
  notice?: string
}

interface FormProps {
  /** Sends the form's values. The form shows the error that it throws. */
  submit: () => Promise<unknown>
  children: ReactNode
  'aria-label'?: string
}

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
      // The field may be outside of the visible area.
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
        // Base UI does not submit a form that shows an error, but the user may have corrected another field than the one that shows it.
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

/** Removes the field's wire name from a message that is shown at the field, which has a label. */
export const withoutName = (message: string, name: string): string =>
  message.startsWith(`${name}: `) ? adviceIn(message.slice(name.length + 2)) : message

/** Turns "must be an amount" into "Enter an amount", and "is too long" into "This is too long". */
export function adviceIn(words: string): string {
  const advice = words
    .replace(/^(?:is missing; it )?must (?:be|have) (?=(?:a|an|at|one|the) |["\d])/, 'enter ')
    .replace(/^(?=(?:is|has|must|may|names) )/, 'this ')
  return capital(advice)
}

export const FormActions = ({ children }: { children: ReactNode }) => (
  <div className="form-actions">{children}</div>
)

type SubmitProps = Omit<ButtonProps, 'type' | 'busy'>

export const SubmitOrCancel = ({ onCancel, ...submit }: SubmitProps & { onCancel: () => void }) => (
  <FormActions>
    <Button onClick={onCancel}>Cancel</Button>
    <SubmitButton {...submit} />
  </FormActions>
)

export function SubmitButton({ look = 'primary', ...rest }: SubmitProps) {
  return <Button look={look} {...rest} type="submit" busy={useContext(Busy)} />
}
