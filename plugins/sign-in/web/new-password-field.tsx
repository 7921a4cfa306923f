// The field in which a person chooses a password.
import { Field } from '../../console/web/parts/field.tsx'
import { PasswordInput } from '../../console/web/parts/password-input.tsx'

interface NewPasswordFieldProps {
  label?: string
  name?: string
  min_chars: number
  autoFocus?: boolean
  value: string
  onChange: (value: string) => void
}

export const NewPasswordField = ({
  label = 'Password',
  name = 'password',
  min_chars,
  ...input
}: NewPasswordFieldProps) => (
  <Field label={label} name={name} help={`At least ${min_chars} characters. A few random words work well.`}>
    <PasswordInput autoComplete="new-password" {...input} />
  </Field>
)
