// Password input with a button that shows the password, so that it need not be typed twice.
import { Eye, EyeOff } from 'lucide-react'
import { useState } from 'react'
import { Button } from './button.tsx'
import { TextInput } from './input.tsx'

interface PasswordInputProps {
  value: string
  onChange: (value: string) => void
  /** For password managers: fill in the current password, or suggest a new one; `off` for keys. */
  autoComplete: 'current-password' | 'new-password' | 'off'
  autoFocus?: boolean
  what?: string
}

export function PasswordInput({
  value,
  onChange,
  autoComplete,
  autoFocus,
  what = 'password',
}: PasswordInputProps) {
  const [is_visible, setVisible] = useState(false)
  return (
    <div className="input-with-button">
      <TextInput
        type={is_visible ? 'text' : 'password'}
        code={is_visible}
        autoComplete={autoComplete}
        autoCapitalize="none"
        spellCheck={false}
        autoFocus={autoFocus}
        value={value}
        onChange={onChange}
      />
      <Button
        look="quiet"
        icon={is_visible ? EyeOff : Eye}
        aria-label={is_visible ? `Hide the ${what}` : `Show the ${what}`}
        aria-pressed={is_visible}
        onClick={() => setVisible(!is_visible)}
      />
    </div>
  )
}
