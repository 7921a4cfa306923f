// A form: Enter sends it, an error stands at its field, and nothing that was typed is lost.
import { type FormEvent, type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import { ApiError } from '../app/client.ts'
import { Button, type ButtonProps } from './button.tsx'
import { FormBusy, useFormBusy } from './form-busy.ts'
import { FormFailure } from './form-failure.ts'
import { Notice } from './notice.tsx'
import { Words } from './words.tsx'

export interface FormProps {
  /** Sends it. What it throws is shown: at the field that the error names, else above the buttons. */
  submit: () => Promise<unknown>
  /** The fields, then `FormActions`. */
  children: ReactNode
  'aria-label'?: string
}

/** A form, with `SubmitButton` among its children. */
export function Form({ submit, children, ...rest }: FormProps) {
  const [failure, setFailure] = useState<Error | null>(null)
  const [busy, setBusy] = useState(false)
  const fields = useRef(new Set<string>())
  const form = useRef<HTMLFormElement>(null)

  const parts = useMemo(() => {
    const at_field = failure instanceof ApiError ? failure.param : null
    return {
      announce(name: string) {
        fields.current.add(name)
        return () => {
          fields.current.delete(name)
        }
      },
      errorOf: (name: string) => (failure && at_field === name ? failure.message : null),
    }
  }, [failure])

  useEffect(() => {
    if (failure) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [failure])

  async function send(event: FormEvent): Promise<void> {
    event.preventDefault()
    event.stopPropagation()
    if (busy) return
    setBusy(true)
    setFailure(null)
    try {
      await submit()
    } catch (thrown) {
      setFailure(thrown instanceof Error ? thrown : new Error(String(thrown)))
    } finally {
      setBusy(false)
    }
  }

  const is_at_field =
    failure instanceof ApiError && failure.param !== null && fields.current.has(failure.param)
  return (
    <FormFailure value={parts}>
      <FormBusy value={busy}>
        <form ref={form} className="form" noValidate onSubmit={(event) => void send(event)} {...rest}>
          {failure && !is_at_field && (
            <Notice tone="bad" alert>
              <Words>{failure.message}</Words>
            </Notice>
          )}
          {children}
        </form>
      </FormBusy>
    </FormFailure>
  )
}

/** The buttons below a form. */
export const FormActions = ({ children }: { children: ReactNode }) => (
  <div className="form-actions">{children}</div>
)

/** The button that sends the form it stands in. */
export function SubmitButton({ look = 'primary', ...rest }: Omit<ButtonProps, 'type' | 'busy'>) {
  return <Button look={look} {...rest} type="submit" busy={useFormBusy()} />
}
