// The page of the link in a sign-up mail: its holder chooses a name and a password, accepts the terms, and is signed in.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { type AnswerOf, ApiError, api, send } from '../../console/web/app/client.ts'
import { addressOf } from '../../console/web/app/gateway-address.ts'
import { useSession } from '../../console/web/app/session.tsx'
import { Field } from '../../console/web/parts/field.tsx'
import { Form, SubmitButton } from '../../console/web/parts/form.tsx'
import { TextInput } from '../../console/web/parts/input.tsx'
import { Notice } from '../../console/web/parts/notice.tsx'
import { FailedState, Skeleton } from '../../console/web/parts/states.tsx'
import { INCOMPLETE, useLinkToken } from '../../sign-in/web/link-token.ts'
import { NewPasswordField } from '../../sign-in/web/new-password-field.tsx'
import { OutsideFrame, requireKeptCookie } from '../../sign-in/web/outside.tsx'
import { TermsField } from '../../sign-in/web/terms-field.tsx'
import { rememberedReferral, rememberReferral } from './remembered.ts'

type LinkOf = AnswerOf<(typeof api)['sign-up']['look']['post']>

export default function Confirm() {
  useState(rememberReferral)
  const token = useLinkToken()
  const { data: session } = useSession()
  const link = useQuery({
    queryKey: ['sign-up-link', token],
    queryFn: () => send(api['sign-up'].look.post({ token })),
    retry: false,
    // A new proposal must not replace the name that the person typed.
    staleTime: Number.POSITIVE_INFINITY,
    enabled: token !== '',
  })
  if (token === '' || link.error instanceof ApiError) return <NotValid words={link.error?.message} />
  if (link.error)
    return (
      <OutsideFrame title="Create an account">
        <FailedState failure={link.error} retry={() => void link.refetch()} />
      </OutsideFrame>
    )
  if (!link.data || !session) return <Skeleton rows={5} />
  return (
    <OutsideFrame
      title="Create your account"
      lead={
        <>
          Your address <b>{link.data.email}</b> is confirmed. Choose a name and a password.
        </>
      }
      refusal={session.sign_in_refusal}
    >
      <AccountForm key={token} token={token} link={link.data} />
    </OutsideFrame>
  )
}

const NotValid = ({ words }: { words: string | undefined }) => (
  <OutsideFrame title="Link not valid">
    <Notice tone="warn">{words ?? INCOMPLETE}</Notice>
    <p>
      {/* A full page load, since the page may have another content security policy. */}
      <a href={addressOf('/console/sign-up')}>Sign up again</a>, or <Link href="/">sign in</Link> if you have
      an account.
    </p>
  </OutsideFrame>
)

function AccountForm({ token, link }: { token: string; link: LinkOf }) {
  const { terms, min_password_chars } = link
  const queries = useQueryClient()
  const [, go] = useLocation()
  const [name, setName] = useState(link.name)
  const [password, setPassword] = useState('')
  const [accepted, setAccepted] = useState(false)

  async function submit(): Promise<void> {
    await send(
      api['sign-up'].finish.post({
        token,
        name: name.trim(),
        password,
        terms: accepted ? terms : null,
        ...rememberedReferral(),
      }),
    )
    await requireKeptCookie()
    queries.clear()
    go('/start', { replace: true })
  }

  return (
    <Form submit={submit} aria-label="Create your account">
      <Field
        label="Account name"
        name="name"
        help="Lower-case letters and digits. You can sign in by it or by your address."
      >
        <TextInput
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={64}
          value={name}
          onChange={setName}
        />
      </Field>
      <NewPasswordField min_chars={min_password_chars} value={password} onChange={setPassword} />
      <TermsField terms={terms} accepted={accepted} onChange={setAccepted} />
      <SubmitButton>Create account</SubmitButton>
    </Form>
  )
}
