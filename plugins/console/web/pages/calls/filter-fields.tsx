// The controls of the filters: choices from lists, text that takes effect when it is done, days.
import { useState } from 'react'
import { Field } from '../../parts/field.tsx'
import { TextInput, UnitInput } from '../../parts/input.tsx'
import { Select } from '../../parts/select.tsx'

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
export function TextFilter({ label, value, placeholder, unit, onSet }: TextFilterProps) {
  const [typed, setTyped] = useState<string | null>(null)
  const done = () => {
    if (typed !== null && typed.trim() !== value) onSet(typed.trim())
    setTyped(null)
  }
  const props = {
    value: typed ?? value,
    onChange: setTyped,
    onBlur: done,
    onKeyDown: ({ key }: { key: string }) => key === 'Enter' && done(),
    placeholder,
  }
  return (
    <Field label={label}>
      {unit === undefined ? <TextInput {...props} /> : <UnitInput unit={unit} {...props} />}
    </Field>
  )
}

export const DayFilter = ({ label, value, onSet }: Pick<TextFilterProps, 'label' | 'value' | 'onSet'>) => (
  <Field label={label}>
    <TextInput type="date" value={value.slice(0, 10)} onChange={onSet} />
  </Field>
)
