// What a session by a limited key sees, said on the pages that show others all of the account.
import { useViewer } from '../app/session.tsx'

/** @returns the sentence; undefined for all other sessions */
export function useOnlyOwnKey() {
  const { key, see_account } = useViewer()
  if (!key || see_account) return undefined
  return (
    <>
      You are signed in with the limited key <b>{key.name}</b>: you see its calls, not those of the account’s
      other keys.
    </>
  )
}
