// A field: its label above, its help below, and its error in the server's own words.
import { CircleAlert } from 'lucide-react'
import { createContext, type ReactNode, useContext, useEffect, useId } from 'react'
import { names } from './class-names.ts'
import { FormFailure } from './form-failure.ts'

export interface FieldProps {
  label: string
  /** As the server names it in an error's `param`: the error is then shown here. */
  name?: string
  help?: ReactNode
  /** An error of the page's own. */
  error?: string | null
  /** Label and control on one line, for switches. */
  inline?: boolean
  children: ReactNode
}

/** What a control takes from its field. */
export interface FieldControl {
  id?: string
  name?: string
  label_id?: string
  'aria-describedby'?: string
  'aria-invalid'?: true
}

const Control = createContext<FieldControl>({})

/** What a control within a `Field` spreads over its element. Empty outside of one. */
export const useFieldControl = (): FieldControl => useContext(Control)

/** Wraps one control. Inputs of this folder take their id, description and validity from it. */
export function Field({ label, name, help, error, inline, children }: FieldProps) {
  const id = useId()
  const form = useContext(FormFailure)
  const { announce } = form
  useEffect(() => (name === undefined ? undefined : announce(name)), [announce, name])
  const shown = error ?? (name === undefined ? null : form.errorOf(name))
  const described = [help ? `${id}-help` : '', shown ? `${id}-error` : ''].filter(Boolean).join(' ')
  const control: FieldControl = {
    id,
    label_id: `${id}-label`,
    ...(name === undefined ? {} : { name }),
    ...(described === '' ? {} : { 'aria-describedby': described }),
    ...(shown ? { 'aria-invalid': true as const } : {}),
  }
  const heading = (
    <label id={`${id}-label`} htmlFor={id}>
      {label}
    </label>
  )
  return (
    <Control value={control}>
      <div className={names('field', inline && 'field-inline')}>
        {!inline && heading}
        {children}
        {inline && heading}
        {shown && (
          <div className="field-error" id={`${id}-error`}>
            <CircleAlert className="icon" aria-hidden />
            <span>{shown}</span>
          </div>
        )}
        {help && (
          <div className="field-help" id={`${id}-help`}>
            {help}
          </div>
        )}
      </div>
    </Control>
  )
}
