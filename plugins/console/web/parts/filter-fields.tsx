// The controls of the filters: choices from lists, text that takes effect when it is done, days.
import { CommittedInput } from './committed-input.tsx'
import { Field } from './field.tsx'
import { TextInput } from './input.tsx'
import { Select } from './select.tsx'

const ANY = ''

export interface ChoiceProps {
  label: string
  /** What stands there while nothing is chosen. */
  any: string
  options: readonly { value: string; label: string }[]
  value: string
  onChange: (value: string) => void
}

/** What the address names stays chosen, also where no list has it. */
export function Choice({ label, any, options, value, onChange }: ChoiceProps) {
  const is_known = value === ANY || options.some((option) => option.value === value)
  const all = [{ value: ANY, label: any }, ...options, ...(is_known ? [] : [{ value, label: value }])]
  return <Select inline aria-label={label} options={all} value={value} onChange={onChange} />
}

interface TextFilterProps {
  label: string
  value: string
  placeholder?: string
  unit?: string
  onSet: (value: string) => void
}

/** Takes effect by Enter, or when it is left. */
export const TextFilter = ({ label, onSet, ...rest }: TextFilterProps) => (
  <Field label={label}>
    <CommittedInput commit={onSet} {...rest} />
  </Field>
)

export const DayFilter = ({ label, value, onSet }: Pick<TextFilterProps, 'label' | 'value' | 'onSet'>) => (
  <Field label={label}>
    <TextInput type="date" value={value.slice(0, 10)} onChange={onSet} />
  </Field>
)
