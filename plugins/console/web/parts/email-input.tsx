// The input of an email address.
import { TextInput } from './input.tsx'

interface EmailInputProps {
  value: string
  onChange: (value: string) => void
  /** The address of whoever types: browsers offer theirs. */
  own?: boolean
  autoFocus?: boolean
}

export const EmailInput = ({ own = false, ...input }: EmailInputProps) => (
  <TextInput
    inputMode="email"
    autoComplete={own ? 'email' : 'off'}
    autoCapitalize="none"
    spellCheck={false}
    {...input}
  />
)
