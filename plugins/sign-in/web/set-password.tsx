// The page of a link by which its holder sets a password, and is signed in.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import type { Terms } from '../../../src/app/surface/console/terms.ts'
import { ApiError, api, send } from '../../console/web/app/client.ts'
import { signInName, useSession } from '../../console/web/app/session.tsx'
import { Form, SubmitButton } from '../../console/web/parts/form.tsx'
import { Notice } from '../../console/web/parts/notice.tsx'
import { FailedState, Skeleton } from '../../console/web/parts/states.tsx'
import { INCOMPLETE, useLinkToken } from './link-token.ts'
import { NewPasswordField } from './new-password-field.tsx'
import { OutsideFrame, requireKeptCookie } from './outside.tsx'
import { TermsField } from './terms-field.tsx'

export default function SetPassword() {
  const token = useLinkToken()
  const { data: site } = useSession()
  const [path] = useLocation()
  const link = useQuery({
    queryKey: ['link', token],
    queryFn: () => send(api.links.look.post({ token })),
    retry: false,
    enabled: token !== '',
  })

  if (token === '' || link.error instanceof ApiError)
    return (
      <OutsideFrame title="Link not valid">
        <Notice tone="warn">{link.error?.message ?? INCOMPLETE}</Notice>
        {path === '/welcome' && (
          <p className="soft">
            You are the operator? <code>tollgate console link</code> makes a new one.
          </p>
        )}
        <p>
          Is your password set? <Link href="/">Sign in</Link>
        </p>
      </OutsideFrame>
    )
  if (link.error)
    return (
      <OutsideFrame title="Set a password">
        <FailedState failure={link.error} retry={() => void link.refetch()} />
      </OutsideFrame>
    )
  if (!link.data || !site) return <Skeleton rows={4} />
  const { account, person, email, has_password, terms, min_password_chars } = link.data
  const name = signInName({ email, account })
  return (
    <OutsideFrame
      title={`Welcome, ${person}`}
      lead={leadOf(
        has_password,
        email === null ? account && `the account name ${account}` : `your email address ${email}`,
      )}
      refusal={site.sign_in_refusal}
    >
      <PasswordForm token={token} terms={terms} name={name} min_chars={min_password_chars} />
    </OutsideFrame>
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
  const queries = useQueryClient()
  const [, go] = useLocation()
  const [password, setPassword] = useState('')
  const [accepted, setAccepted] = useState(false)

  async function submit(): Promise<void> {
    await send(api.links.accept.post({ token, password, terms: accepted ? terms : null }))
    await requireKeptCookie()
    queries.clear()
    go('/', { replace: true })
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
