// The form to sign in: the operator or an account by password, or anybody by an API key.
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, ask } from '../../app/client.ts'
import type { SignInProps } from '../../app/page-entry.ts'
import { Choices } from '../../parts/choices.tsx'
import { Field } from '../../parts/field.tsx'
import { Form, FormActions, SubmitButton } from '../../parts/form.tsx'
import { TextInput } from '../../parts/input.tsx'
import { Notice } from '../../parts/notice.tsx'

const WAYS = [
  { value: 'password', label: 'Password' },
  { value: 'key', label: 'API key' },
] as const

export default function SignIn({ note, onSignedIn }: SignInProps) {
  const [way, setWay] = useState<'password' | 'key'>('password')
  const [account, setAccount] = useState('')
  const [secret, setSecret] = useState('')
  const { data } = useQuery({ queryKey: ['session'], queryFn: () => ask(api.session.get()) })

  async function submit(): Promise<void> {
    const credentials = way === 'key' ? { key: secret } : { account: account || null, password: secret }
    await ask(api.session.post(credentials))
    onSignedIn()
  }

  return (
    <div className="stack">
      {note ? <p>{note}</p> : <h1>Tollgate</h1>}
      {data?.sign_in_refusal && <Notice tone="warn">{data.sign_in_refusal}</Notice>}
      <Form submit={submit} aria-label="Sign in">
        <div>
          <Choices label="Sign in with" options={WAYS} value={way} onChange={setWay} />
        </div>
        {way === 'password' && (
          <Field label="Account" name="account" help="The operator leaves it empty.">
            <TextInput value={account} onChange={setAccount} autoComplete="username" />
          </Field>
        )}
        <Field label={way === 'key' ? 'API key' : 'Password'} name={way}>
          <TextInput
            type="password"
            value={secret}
            onChange={setSecret}
            autoComplete={way === 'key' ? 'off' : 'current-password'}
          />
        </Field>
        <FormActions>
          <SubmitButton>Sign in</SubmitButton>
        </FormActions>
      </Form>
    </div>
  )
}
