// The button that signs in or confirms with a passkey.
import { KeyRound } from 'lucide-react'
import { useState } from 'react'
import { messageOf } from '../../console/web/app/client.ts'
import { Button } from '../../console/web/parts/button.tsx'
import { Notice } from '../../console/web/parts/notice.tsx'
import { hasPasskeys } from './ceremony.ts'

interface PasskeyButtonProps {
  label: string
  use: () => Promise<void>
  onSignedIn: () => void
}

export function PasskeyButton({ label, use, onSignedIn }: PasskeyButtonProps) {
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState('')
  if (!hasPasskeys()) return null

  async function press(): Promise<void> {
    setBusy(true)
    setFailure('')
    try {
      await use()
      onSignedIn()
    } catch (thrown) {
      setFailure(messageOf(thrown))
    } finally {
      setBusy(false)
    }
  }

  return (
    <>
      {failure !== '' && (
        <Notice tone="bad" alert>
          {failure}
        </Notice>
      )}
      <Button icon={KeyRound} busy={busy} onClick={() => void press()}>
        {label}
      </Button>
    </>
  )
}
