// Select: one of several options in a list that opens; and checks of option values from an address.
import { Select as Base } from '@base-ui/react/select'
import { Check, ChevronsUpDown } from 'lucide-react'
import { classNames } from './class-names.ts'

type Options<V extends string> = readonly [{ value: V }, ...{ value: V }[]]

/** Returns `value` if it is one of `values`, else the first one. */
export const oneOf = <const V extends string>(values: readonly [V, ...V[]], value: string): V =>
  values.find((each) => each === value) ?? values[0]

/** Returns the value of the chosen option for a query; undefined if it is ''. */
export function chosenValue<const V extends string>(
  options: Options<V>,
  value: string | undefined,
): Exclude<V, ''> | undefined {
  const option = optionValue(options, value ?? '')
  return option === '' ? undefined : (option as Exclude<V, ''>)
}

/** Returns `value` if an option has it, else the value of the first option. */
export const optionValue = <const V extends string>(options: Options<V>, value: string): V =>
  (options.find((option) => option.value === value) ?? options[0]).value

export interface Option<Value extends string> {
  value: Value
  label: string
  /** A second line in the opened list. */
  detail?: string
}

interface SelectProps<Value extends string> {
  options: readonly Option<Value>[]
  value: Value
  onChange: (value: Value) => void
  /** As wide as its text, for filter bars. */
  inline?: boolean
  disabled?: boolean
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
      <Base.Trigger {...rest} className={classNames('select', inline && 'select-inline')}>
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
