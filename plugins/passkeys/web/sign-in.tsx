// The button of the sign-in form that signs in with a passkey, without a name.
import type { SignInProps } from '../../console/web/app/page-entry.ts'
import { requireKeptCookie } from '../../sign-in/web/outside.tsx'
import { signInByPasskey } from './ceremony.ts'
import { PasskeyButton } from './passkey-button.tsx'

export default function SignInByPasskey({ onSignedIn }: Pick<SignInProps, 'onSignedIn'>) {
  return <PasskeyButton label="Sign in with a passkey" use={signIn} onSignedIn={onSignedIn} />
}

async function signIn(): Promise<void> {
  await signInByPasskey()
  await requireKeptCookie()
}
