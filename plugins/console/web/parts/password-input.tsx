// A password: hidden, and visible on request, instead of being typed twice.
import { Eye, EyeOff } from 'lucide-react'
import { useState } from 'react'
import { Button } from './button.tsx'
import { TextInput } from './input.tsx'

interface PasswordInputProps {
  value: string
  onChange: (value: string) => void
  /** What password managers should do: fill in the known one, or offer a new one; `off` for keys. */
  autoComplete: 'current-password' | 'new-password' | 'off'
  autoFocus?: boolean
  /** What is typed: "password", "key". */
  what?: string
}

export function PasswordInput({
  value,
  onChange,
  autoComplete,
  autoFocus,
  what = 'password',
}: PasswordInputProps) {
  const [is_shown, setShown] = useState(false)
  return (
    <div className="input-with-button">
      <TextInput
        type={is_shown ? 'text' : 'password'}
        code={is_shown}
        autoComplete={autoComplete}
        autoCapitalize="none"
        spellCheck={false}
        autoFocus={autoFocus}
        value={value}
        onChange={onChange}
      />
      <Button
        look="quiet"
        icon={is_shown ? EyeOff : Eye}
        aria-label={is_shown ? `Hide the ${what}` : `Show the ${what}`}
        aria-pressed={is_shown}
        onClick={() => setShown(!is_shown)}
      />
    </div>
  )
}
