// The token of a link: it stands in the fragment of the address, which browsers send nowhere.
import { useSyncExternalStore } from 'react'

const tokenInAddress = (): string => location.hash.slice(1)

/** A link that is pasted over another one changes the fragment alone: browsers load nothing for it. */
function onOtherLink(notify: () => void): () => void {
  addEventListener('hashchange', notify)
  return () => removeEventListener('hashchange', notify)
}

export const useLinkToken = (): string => useSyncExternalStore(onOtherLink, tokenInAddress)

export const INCOMPLETE =
  'The link is incomplete. Open it exactly as you got it, including the part after the #.'
