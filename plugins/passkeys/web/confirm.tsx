// The passkey button of the confirmation dialog.
import type { SignInProps } from '../../console/web/app/page-entry.ts'
import { confirmByPasskey } from './ceremony.ts'
import { PasskeyButton } from './passkey-button.tsx'

export default function ConfirmByPasskey({ onSignedIn }: Pick<SignInProps, 'onSignedIn'>) {
  return <PasskeyButton label="Confirm with a passkey" use={confirmByPasskey} onSignedIn={onSignedIn} />
}
