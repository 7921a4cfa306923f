// The page of the link in a sign-up mail: its holder chooses a name and a password, accepts the terms, and is signed in.
import { useState } from 'react'
import { Link } from 'wouter'
import { type AnswerOf, api, send } from '../../console/web/app/client.ts'
import { addressOf } from '../../console/web/app/gateway-address.ts'
import { Field } from '../../console/web/parts/field.tsx'
import { Form, SubmitButton } from '../../console/web/parts/form.tsx'
import { TextInput } from '../../console/web/parts/input.tsx'
import { LinkPage } from '../../sign-in/web/link-page.tsx'
import { NewPasswordField } from '../../sign-in/web/new-password-field.tsx'
import { OutsideFrame, useArrival } from '../../sign-in/web/outside.tsx'
import { TermsField } from '../../sign-in/web/terms-field.tsx'
import { rememberedReferral, rememberReferral } from './remembered.ts'

type LinkOf = AnswerOf<(typeof api)['sign-up']['look']['post']>

export default function Confirm() {
  useState(rememberReferral)
  return (
    <LinkPage
      subject="sign-up-link"
      look={(token) => send(api['sign-up'].look.post({ token }))}
      // A new proposal must not replace the name that the person typed.
      once
      title="Create an account"
      advice={
        <p>
          {/* A full page load, since the page may have another content security policy. */}
          <a href={addressOf('/console/sign-up')}>Sign up again</a>, or <Link href="/">sign in</Link> if you
          have an account.
        </p>
      }
    >
      {(link, token, refusal) => (
        <OutsideFrame
          title="Create your account"
          lead={
            <>
              Your address <b>{link.email}</b> is confirmed. Choose a name and a password.
            </>
          }
          refusal={refusal}
        >
          <AccountForm key={token} token={token} link={link} />
        </OutsideFrame>
      )}
    </LinkPage>
  )
}

function AccountForm({ token, link }: { token: string; link: LinkOf }) {
  const { terms, min_password_chars } = link
  const arrive = useArrival()
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
    await arrive('/start')
  }

  return (
    <Form submit={submit} aria-label="Create your account">
      <Field
        label="Account name"
        name="name"
        help="Lower-case letters and digits. You can sign in with it or with your email address."
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
