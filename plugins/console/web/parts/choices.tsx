// Choice of one of a few visible options: a range, a theme.
interface ChoicesProps<Value extends string> {
  label: string
  options: readonly { value: Value; label: string }[]
  value: Value
  onChange: (value: Value) => void
}

export function Choices<Value extends string>({ label, options, value, onChange }: ChoicesProps<Value>) {
  return (
    <fieldset className="choices" aria-label={label}>
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          aria-pressed={option.value === value}
          onClick={() => onChange(option.value)}
        >
          {option.label}
        </button>
      ))}
    </fieldset>
  )
}
