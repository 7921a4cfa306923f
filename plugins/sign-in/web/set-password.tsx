// The page of a link by which its holder sets a password, and is signed in.
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import type { Terms } from '../../../src/app/surface/console/terms.ts'
import { api, send } from '../../console/web/app/client.ts'
import { signInName } from '../../console/web/app/session.tsx'
import { Form, SubmitButton } from '../../console/web/parts/form.tsx'
import { LinkPage } from './link-page.tsx'
import { NewPasswordField } from './new-password-field.tsx'
import { OutsideFrame, useArrival } from './outside.tsx'
import { TermsField } from './terms-field.tsx'

export default function SetPassword() {
  const [path] = useLocation()
  return (
    <LinkPage
      subject="link"
      look={(token) => send(api.links.look.post({ token }))}
      title="Set a password"
      advice={
        <>
          {path === '/welcome' && (
            <p className="soft">
              Are you the operator? Run <code>tollgate console link</code>.
            </p>
          )}
          <p>
            Is your password set? <Link href="/">Sign in</Link>
          </p>
        </>
      }
    >
      {({ account, person, email, has_password, terms, min_password_chars }, token, refusal) => (
        <OutsideFrame
          title={`Welcome, ${person}`}
          lead={leadOf(
            has_password,
            email === null ? account && `the account name ${account}` : `your email address ${email}`,
          )}
          refusal={refusal}
        >
          <PasswordForm
            token={token}
            terms={terms}
            name={signInName({ email, account })}
            min_chars={min_password_chars}
          />
        </OutsideFrame>
      )}
    </LinkPage>
  )
}

/** @param name the name with which they sign in; null for the first operator without an address */
const leadOf = (has_password: boolean, name: string | null): string =>
  has_password
    ? 'Set a new password. It replaces the old one and signs you out everywhere else.'
    : `Set a password.${name === null ? '' : ` You sign in with it and ${name}.`} This link works once.`

interface PasswordFormProps {
  token: string
  name: string | null
  terms: Terms | null
  min_chars: number
}

function PasswordForm({ token, name, terms, min_chars }: PasswordFormProps) {
  const arrive = useArrival()
  const [password, setPassword] = useState('')
  const [accepted, setAccepted] = useState(false)

  async function submit(): Promise<void> {
    await send(api.links.accept.post({ token, password, terms: accepted ? terms : null }))
    await arrive('/')
  }

  return (
    <Form submit={submit} aria-label="Set a password">
      {/* Password managers store the password under this name. */}
      <input type="text" autoComplete="username" value={name ?? 'operator'} readOnly hidden />
      <NewPasswordField min_chars={min_chars} autoFocus value={password} onChange={setPassword} />
      <TermsField terms={terms} accepted={accepted} onChange={setAccepted} />
      <SubmitButton>Set password and sign in</SubmitButton>
    </Form>
  )
}
