// Switch: on or off, with immediate effect.
import { Switch as Base } from '@base-ui/react/switch'

interface SwitchProps {
  checked: boolean
  onChange: (checked: boolean) => void
  disabled?: boolean
  'aria-label'?: string
}

/** Within `<Field inline>` it takes its label. */
export function Switch({ checked, onChange, disabled, ...rest }: SwitchProps) {
  return (
    <Base.Root
      {...rest}
      className="switch"
      checked={checked}
      disabled={disabled}
      onCheckedChange={(on) => onChange(on)}
    >
      <Base.Thumb />
    </Base.Root>
  )
}
