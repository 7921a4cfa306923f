// Note for viewers who see their own keys only, on pages that show other viewers the whole account.
import { useViewer } from '../app/session.tsx'

/** Returns the note; undefined for viewers who see the whole account. */
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
