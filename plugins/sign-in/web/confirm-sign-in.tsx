// The dialog that asks the viewer for a fresh proof before a sensitive change: their password, or another way to sign in.
import { useQuery } from '@tanstack/react-query'
import { useState, useSyncExternalStore } from 'react'
import { api, send } from '../../console/web/app/client.ts'
import { endConfirming, isConfirming, onConfirming } from '../../console/web/app/confirming.ts'
import type { SignInWayEntry } from '../../console/web/app/page-entry.ts'
import { useSession, viewersSignInName } from '../../console/web/app/session.tsx'
import { Button } from '../../console/web/parts/button.tsx'
import { Dialog } from '../../console/web/parts/dialog.tsx'
import { Field } from '../../console/web/parts/field.tsx'
import { Form, SubmitOrCancel } from '../../console/web/parts/form.tsx'
import { useLoaded } from '../../console/web/parts/loaded.ts'
import { PasswordInput } from '../../console/web/parts/password-input.tsx'
import { FailedState, Skeleton } from '../../console/web/parts/states.tsx'
import { confirm_ways } from '../../page-parts.ts'

export default function ConfirmSignIn() {
  const is_open = useSyncExternalStore(onConfirming, isConfirming)
  return (
    <Dialog open={is_open} onClose={cancel} title="Confirm it’s you">
      {is_open && <Ways />}
    </Dialog>
  )
}

const cancel = (): void => endConfirming(false)
const done = (): void => endConfirming(true)

function Ways() {
  const able = useQuery({
    queryKey: ['session', 'confirm'],
    queryFn: () => send(api.session.confirm.get()),
    gcTime: 0,
  })
  if (able.error) return <FailedState failure={able.error} retry={() => void able.refetch()} />
  if (!able.data) return <Skeleton rows={2} />
  const { has_password, ways } = able.data
  const offered = confirm_ways.filter(({ name }) => ways.includes(name))
  return (
    <div className="stack">
      <p className="soft">You signed in a while ago. Sign in again to make this change.</p>
      {offered.map(({ name, load }) => (
        <Way key={name} load={load} />
      ))}
      {has_password && <ByPassword />}
      {!has_password && offered.length === 0 && <BySigningInAgain />}
    </div>
  )
}

function Way({ load }: Pick<SignInWayEntry, 'load'>) {
  const Loaded = useLoaded(load)
  return Loaded && <Loaded onSignedIn={done} />
}

function ByPassword() {
  const { data: site } = useSession()
  const [password, setPassword] = useState('')

  async function submit(): Promise<void> {
    await send(api.session.confirm.post({ password }))
    done()
  }

  return (
    <Form submit={submit} aria-label="Confirm by password">
      <input
        type="text"
        autoComplete="username"
        value={site?.viewer ? viewersSignInName(site.viewer) : ''}
        readOnly
        hidden
      />
      <Field label="Password" name="password">
        <PasswordInput autoComplete="current-password" autoFocus value={password} onChange={setPassword} />
      </Field>
      <SubmitOrCancel onCancel={cancel}>Confirm</SubmitOrCancel>
    </Form>
  )
}

/** For people with neither a password nor another way to confirm: each new sign-in in this browser counts as a proof. */
const BySigningInAgain = () => (
  <>
    <p>
      Sign in again in another tab of this browser, such as by a link in a mail. Then come back here. What you
      typed is kept.
    </p>
    <div className="dialog-actions">
      <Button onClick={cancel}>Cancel</Button>
      <Button look="primary" onClick={done}>
        I signed in again
      </Button>
    </div>
  </>
)
