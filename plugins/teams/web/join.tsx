// The page of an invitation into an account: the visitor joins as the signed-in person, after a sign-in, or as a new person.
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type AnswerOf, api, send } from '../../console/web/app/client.ts'
import { Button } from '../../console/web/parts/button.tsx'
import { Field } from '../../console/web/parts/field.tsx'
import { Form, SubmitButton } from '../../console/web/parts/form.tsx'
import { TextInput } from '../../console/web/parts/input.tsx'
import { LinkPage } from '../../sign-in/web/link-page.tsx'
import { NewPasswordField } from '../../sign-in/web/new-password-field.tsx'
import { OutsideFrame, useArrival } from '../../sign-in/web/outside.tsx'
import SignIn from '../../sign-in/web/sign-in.tsx'
import { TermsField } from '../../sign-in/web/terms-field.tsx'
import { ROLE_NAMES } from './words.ts'

type Link = AnswerOf<typeof api.join.look.post>

export default function Join() {
  return (
    <LinkPage
      subject="join"
      look={(token) => send(api.join.look.post({ token }))}
      title="Invitation"
      title_if_not_valid="Invitation not valid"
    >
      {(link, token, refusal) => <JoinPage {...{ link, token, refusal }} />}
    </LinkPage>
  )
}

interface JoinPageProps {
  token: string
  link: Link
  refusal: string | null
}

function JoinPage({ token, link, refusal }: JoinPageProps) {
  const queries = useQueryClient()
  const [signs_in, setSignsIn] = useState(link.signs_in)
  const [is_other, setIsOther] = useState(false)
  const { account, role, signed_in_as } = link
  const name = is_other ? null : signed_in_as
  if (name === null && signs_in)
    return (
      <SignIn
        title={`Join ${account}`}
        lead="Sign in to join."
        is_for_people
        onSignedIn={() => {
          setIsOther(false)
          void queries.invalidateQueries()
        }}
      />
    )
  return (
    <OutsideFrame
      title={`Join ${account}`}
      lead={`You are invited to the account ${account}. Your role: ${ROLE_NAMES[role]}.`}
      refusal={refusal}
    >
      {name === null ? (
        <NewPerson token={token} link={link} signIn={() => setSignsIn(true)} />
      ) : (
        <AsViewer token={token} name={name} useOther={() => setIsOther(true)} />
      )}
    </OutsideFrame>
  )
}

interface AsViewerProps {
  token: string
  name: string
  /** Lets the visitor join as another person: several people, or one with several sign-ins, may use a browser. */
  useOther: () => void
}

function AsViewer({ token, name, useOther }: AsViewerProps) {
  const arrive = useArrival()
  async function submit(): Promise<void> {
    await send(api.join.post({ token }))
    await arrive('/')
  }
  return (
    <Form submit={submit} aria-label="Join">
      <p>You are signed in as {name}.</p>
      <SubmitButton>Join</SubmitButton>
      <Button onClick={useOther}>Join as somebody else</Button>
    </Form>
  )
}

interface NewPersonProps {
  token: string
  link: Link
  signIn: () => void
}

function NewPerson({ token, link: { email, terms, min_password_chars }, signIn }: NewPersonProps) {
  const arrive = useArrival()
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  const [accepted, setAccepted] = useState(false)
  async function submit(): Promise<void> {
    await send(api.join.new.post({ token, name, password, terms: accepted ? terms : null }))
    await arrive('/')
  }
  return (
    <Form submit={submit} aria-label="Join">
      <Field label="Email" name="email" help="You sign in with it.">
        <TextInput value={email} onChange={() => {}} readOnly autoComplete="username" />
      </Field>
      <Field label="Name" name="name">
        <TextInput value={name} onChange={setName} autoComplete="name" autoFocus />
      </Field>
      <NewPasswordField min_chars={min_password_chars} value={password} onChange={setPassword} />
      <TermsField terms={terms} accepted={accepted} onChange={setAccepted} />
      <SubmitButton>Join</SubmitButton>
      <Button onClick={signIn}>Sign in instead</Button>
    </Form>
  )
}
