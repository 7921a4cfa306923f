// The note for a limited key and a member on pages that show others all of the account.
import { useViewer } from '../app/session.tsx'

/** @returns the sentence; undefined for all other sessions */
export function useOnlyOwnKeys() {
  const { key, see_account } = useViewer()
  if (see_account) return undefined
  if (!key) return 'You see your own API keys and their calls, not those of others in this account.'
  return (
    <>
      You are signed in with the limited key <b>{key.name}</b>: you see its calls, not those of the account’s
      other keys.
    </>
  )
}
