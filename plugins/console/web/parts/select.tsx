// A choice of one among several, in a list that opens; and the option that an address names, which can be anything.
import { Select as Base } from '@base-ui/react/select'
import { Check, ChevronsUpDown } from 'lucide-react'
import { names } from './class-names.ts'

type Options<V extends string> = readonly [{ value: V }, ...{ value: V }[]]

/** @returns the first value where the address names none of them */
export const oneOf = <const V extends string>(values: readonly [V, ...V[]], value: string): V =>
  values.find((each) => each === value) ?? values[0]

/** The value of an option that was chosen; undefined while it is '': for the query of a list. */
export function chosenOf<const V extends string>(
  options: Options<V>,
  value: string | undefined,
): Exclude<V, ''> | undefined {
  const option = optionOf(options, value ?? '')
  return option === '' ? undefined : (option as Exclude<V, ''>)
}

/** The same of a choice. */
export const optionOf = <const V extends string>(options: Options<V>, value: string): V =>
  (options.find((option) => option.value === value) ?? options[0]).value

export interface Option<Value extends string> {
  value: Value
  label: string
  /** A second line, in the list only. */
  detail?: string
}

interface SelectProps<Value extends string> {
  options: readonly Option<Value>[]
  value: Value
  onChange: (value: Value) => void
  /** As wide as its words, for bars of filters. */
  inline?: boolean
  disabled?: boolean
  /** Where no `Field` is around it. */
  'aria-label'?: string
}

/** Within a `Field` it takes its label and error. */
export function Select<Value extends string>(props: SelectProps<Value>) {
  const { options, value, onChange, inline, disabled, ...rest } = props
  return (
    <Base.Root
      items={options}
      value={value}
      disabled={disabled}
      onValueChange={(chosen) => {
        if (chosen !== null) onChange(chosen)
      }}
    >
      <Base.Trigger {...rest} className={names('select', inline && 'select-inline')}>
        <Base.Value />
        <ChevronsUpDown className="icon" aria-hidden />
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner
          className="float-positioner"
          alignItemWithTrigger={false}
          sideOffset={4}
          align="start"
        >
          <Base.Popup className="float">
            <Base.List>
              {options.map((option) => (
                <Base.Item key={option.value} value={option.value} className="float-item">
                  <span>
                    <Base.ItemText>{option.label}</Base.ItemText>
                    {option.detail && <div className="small soft">{option.detail}</div>}
                  </span>
                  <Base.ItemIndicator>
                    <Check className="icon" aria-hidden />
                  </Base.ItemIndicator>
                </Base.Item>
              ))}
            </Base.List>
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}
