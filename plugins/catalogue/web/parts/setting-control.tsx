// The control for a setting, by its kind: a switch, a choice, or a text with its unit.
import type { ComponentType } from 'react'
import { TextArea, TextInput, type TextInputProps, UnitInput } from '../../../console/web/parts/input.tsx'
import { Select } from '../../../console/web/parts/select.tsx'
import { Switch } from '../../../console/web/parts/switch.tsx'
import { isOn, type SettingField, unitOf } from './setting-text.ts'

interface TextProps extends Omit<TextInputProps, 'onBlur' | 'onKeyDown'> {
  unit?: string
}

/** A text that reports every key stroke. */
const TypedText = ({ unit, ...rest }: TextProps) =>
  unit === undefined ? <TextInput {...rest} /> : <UnitInput unit={unit} {...rest} />

interface SettingControlProps {
  field: SettingField
  /** The value as `textOf` returns it. */
  text: string
  write: (text: string) => void
  /** The placeholder of an empty text without a default. */
  empty?: string
  code?: boolean | undefined
  rows?: number | undefined
  options?: Readonly<Record<string, string>> | undefined
  disabled?: boolean
  input?: ComponentType<TextProps>
}

const DEFAULT = { value: '', label: 'Default' }

export function SettingControl({
  field,
  text,
  write,
  empty = '',
  code,
  rows,
  options = {},
  disabled = false,
  input: Input = TypedText,
}: SettingControlProps) {
  const { kind, fallback } = field
  const unit = unitOf(field)
  const shared = { field, text, write, disabled }
  if (kind === 'switch') return <OnOrOff {...shared} />
  if (kind === 'choice')
    return (
      <Select
        options={[
          ...(fallback === null ? [{ ...DEFAULT, label: options[''] ?? DEFAULT.label }] : []),
          ...field.options.map((value) => ({ value, label: options[value] ?? value })),
        ]}
        value={text === '' ? String(fallback ?? '') : text}
        disabled={disabled}
        onChange={(chosen) => write(chosen === fallback ? '' : chosen)}
      />
    )
  if (rows !== undefined) return <TextArea rows={rows} value={text} disabled={disabled} onChange={write} />
  return (
    <Input
      code={code}
      unit={unit}
      value={text}
      disabled={disabled}
      autoComplete="off"
      inputMode={kind === 'number' ? 'numeric' : unit === undefined ? undefined : 'decimal'}
      placeholder={fallback === null ? empty : String(fallback)}
      onChange={write}
    />
  )
}

/** A switch; without a default, a choice with the option "Default". */
function OnOrOff({ field: { fallback }, text, write, disabled = false }: SettingControlProps) {
  if (fallback !== null)
    return (
      <Switch
        checked={isOn(text === '' ? fallback : text)}
        disabled={disabled}
        onChange={(is_on) => write(is_on === isOn(fallback) ? '' : String(is_on))}
      />
    )
  return (
    <Select
      options={[DEFAULT, { value: 'true', label: 'On' }, { value: 'false', label: 'Off' }]}
      value={text}
      disabled={disabled}
      onChange={write}
    />
  )
}
