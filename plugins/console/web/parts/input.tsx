// Inputs: text, several lines, money, a number with a unit, search. Within a `Field` they take its label and error.
import { Field } from '@base-ui/react/field'
import { Search } from 'lucide-react'
import type { ComponentProps } from 'react'
import { classNames } from './class-names.ts'

interface Valued {
  value: string
  onChange: (value: string) => void
}

export interface TextInputProps extends Omit<ComponentProps<'input'>, keyof Valued | 'className'>, Valued {
  /** Uses a monospace font, for ids, names of models and keys. */
  code?: boolean
}

/** One line of text. `type="password"`, `autoComplete` and others as in HTML. */
export function TextInput({ value, onChange, code, ...rest }: TextInputProps) {
  return (
    <Field.Control
      type="text"
      spellCheck={code ? false : undefined}
      {...rest}
      className={classNames('input', code && 'input-code')}
      value={value}
      onValueChange={onChange}
    />
  )
}

interface TextAreaProps extends Omit<ComponentProps<'textarea'>, keyof Valued | 'className'>, Valued {
  code?: boolean
}

export function TextArea({ value, onChange, code, ...rest }: TextAreaProps) {
  return (
    <Field.Control
      spellCheck={code ? false : undefined}
      className={classNames('input', code && 'input-code')}
      value={value}
      onValueChange={onChange}
      render={<textarea {...rest} />}
    />
  )
}

interface UnitInputProps extends TextInputProps {
  /** The unit after the number: "USD", "a minute". */
  unit: string
}

/** A number as text with its unit; the server validates it. */
export function UnitInput({ unit, ...rest }: UnitInputProps) {
  return (
    <div className="input-with-unit">
      <TextInput inputMode="decimal" autoComplete="off" {...rest} />
      <span className="unit" aria-hidden>
        {unit}
      </span>
    </div>
  )
}

/** A decimal amount in USD, sent as text, because a floating-point number would not be exact. */
export const MoneyInput = (props: Omit<TextInputProps, 'type'>) => <UnitInput unit="USD" {...props} />

/** A search or filter box. It needs an `aria-label` if it is not in a `Field`. */
export function SearchInput(props: TextInputProps) {
  return (
    <div className="input-with-icon">
      <Search className="icon" aria-hidden />
      <TextInput type="search" autoComplete="off" {...props} />
    </div>
  )
}
