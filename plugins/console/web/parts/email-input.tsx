// Input of an email address.
import { TextInput } from './input.tsx'

interface EmailInputProps {
  value: string
  onChange: (value: string) => void
  /** Whether it is the user's own address, which browsers can fill in. */
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
