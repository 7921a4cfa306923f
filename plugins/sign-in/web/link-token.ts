// The token of a link, from the fragment of the address, which browsers do not send to servers.
import { useSyncExternalStore } from 'react'

const tokenInAddress = (): string => location.hash.slice(1)

/** If a person pastes another link over this one, only the fragment changes, and the browser does not reload the page. */
function onOtherLink(notify: () => void): () => void {
  addEventListener('hashchange', notify)
  return () => removeEventListener('hashchange', notify)
}

export const useLinkToken = (): string => useSyncExternalStore(onOtherLink, tokenInAddress)

export const INCOMPLETE =
  'The link is incomplete. Open it exactly as you got it, including the part after the #.'
