// The sign-in form for a password or an API key: its own page, or a dialog over the page whose session has ended.
import { useState } from 'react'
import { api, send } from '../../console/web/app/client.ts'
import type { SignInProps, SignInWayEntry } from '../../console/web/app/page-entry.ts'
import { signInName, useSession, type Viewer } from '../../console/web/app/session.tsx'
import { Choices } from '../../console/web/parts/choices.tsx'
import { Field } from '../../console/web/parts/field.tsx'
import { Form, SubmitButton } from '../../console/web/parts/form.tsx'
import { TextInput } from '../../console/web/parts/input.tsx'
import { useAllLoaded, useLoaded } from '../../console/web/parts/loaded.ts'
import { Notice } from '../../console/web/parts/notice.tsx'
import { PasswordInput } from '../../console/web/parts/password-input.tsx'
import { sign_in_ways } from '../../page-parts.ts'
import { OutsideFrame, requireKeptCookie } from './outside.tsx'

const WAYS = [
  { value: 'password', label: 'Password' },
  { value: 'key', label: 'API key' },
] as const

type Way = (typeof WAYS)[number]['value']

/** Not for strangers, who may sign up. */
const ACCOUNT_HELP = 'Your email address or account name. The first operator may leave it empty.'
const WAY_LOADS = sign_in_ways.map(({ load }) => load)

export default function SignIn({
  note,
  title = 'Sign in',
  lead,
  is_for_people = false,
  onSignedIn,
}: SignInProps) {
  const { data: site } = useSession()
  const is_loaded = useAllLoaded(WAY_LOADS)
  if (!site || !is_loaded) return null
  const { sign_in_refusal: refusal, viewer: before } = site
  if (note)
    return (
      <div className="sign-in">
        <p className="soft">{note}</p>
        {refusal ? (
          <Notice tone="warn">{refusal}</Notice>
        ) : (
          <SignInForm before={before} onSignedIn={onSignedIn} />
        )}
      </div>
    )
  return (
    <OutsideFrame title={title} lead={lead} refusal={refusal}>
      {!site.operator_is_set && (
        <Notice>
          No operator can sign in yet. Open the link that <code>tollgate serve</code> printed, or create one
          with <code>tollgate console link</code>.
        </Notice>
      )}
      <SignInForm before={before} is_for_people={is_for_people} onSignedIn={onSignedIn} />
    </OutsideFrame>
  )
}

interface SignInFormProps extends Pick<SignInProps, 'onSignedIn' | 'is_for_people'> {
  /** The viewer of the session that has ended, as a default for the form. */
  before: Viewer | null
}

function SignInForm({ before, is_for_people = false, onSignedIn }: SignInFormProps) {
  const { data: site } = useSession()
  const [way, setWay] = useState<Way>(before?.key && !is_for_people ? 'key' : 'password')
  const [account, setAccount] = useState(
    before ? (signInName({ ...before, email: before.person?.email }) ?? '') : '',
  )
  const [password, setPassword] = useState('')
  const [key, setKey] = useState('')

  async function submit(): Promise<void> {
    const credentials = way === 'key' ? { key: key.trim() } : { account: account.trim() || null, password }
    await send(api.session.post(credentials))
    await requireKeptCookie()
    onSignedIn()
  }

  return (
    <div className="stack">
      {!is_for_people && <Choices label="Sign in with" options={WAYS} value={way} onChange={setWay} />}
      <Form submit={submit} aria-label="Sign in" key={way}>
        {way === 'password' ? (
          <>
            <Field
              label="Account or email"
              name="account"
              help={site?.ways.includes('sign_up') ? undefined : ACCOUNT_HELP}
            >
              <TextInput
                autoComplete="username"
                autoCapitalize="none"
                spellCheck={false}
                value={account}
                onChange={setAccount}
              />
            </Field>
            <Field label="Password" name="password">
              <PasswordInput autoComplete="current-password" value={password} onChange={setPassword} />
            </Field>
          </>
        ) : (
          <Field
            label="API key"
            name="key"
            help="You get the rights of the key. The session ends when the key does."
          >
            <PasswordInput autoComplete="off" what="key" value={key} onChange={setKey} />
          </Field>
        )}
        <SubmitButton>Sign in</SubmitButton>
      </Form>
      <OtherWays onSignedIn={onSignedIn} />
    </div>
  )
}

/** The ways that plugins add: a passkey, a link by mail, an identity provider, sign-up. */
function OtherWays({ onSignedIn }: Pick<SignInProps, 'onSignedIn'>) {
  const { data: site } = useSession()
  const offered = sign_in_ways.filter(({ name }) => site?.ways.includes(name))
  return offered.map(({ name, load }) => <OtherWay key={name} load={load} onSignedIn={onSignedIn} />)
}

function OtherWay({ load, ...props }: Pick<SignInWayEntry, 'load'> & Pick<SignInProps, 'onSignedIn'>) {
  const Way = useLoaded(load)
  return Way && <Way {...props} />
}
