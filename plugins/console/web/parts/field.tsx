// Form field: label, control, error and help.
import { Field as Base } from '@base-ui/react/field'
import { CircleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'

interface FieldProps {
  label: string
  /** The server's name of the field: the field shows the error that has this `param`. */
  name?: string
  help?: ReactNode
  /** An error that the page itself found. */
  error?: string | null
  /** Puts label and control on one line, for switches. */
  inline?: boolean
  children: ReactNode
}

/** Wraps one control, which takes its id, description and validity from it. */
export function Field({ label, name, help, error, inline, children }: FieldProps) {
  const heading = <Base.Label>{label}</Base.Label>
  return (
    <Base.Root name={name} invalid={Boolean(error)} className={classNames('field', inline && 'field-inline')}>
      {!inline && heading}
      {children}
      {inline && heading}
      <Base.Error
        match={error ? true : undefined}
        className="field-error"
        render={({ children: words, ...rest }) => (
          <div {...rest}>
            <CircleAlert className="icon" aria-hidden />
            <span>{error ?? words}</span>
          </div>
        )}
      />
      {help && (
        <Base.Description className="field-help" render={<div />}>
          {help}
        </Base.Description>
      )}
    </Base.Root>
  )
}
