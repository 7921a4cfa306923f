// Keys of requests that move money or make a secret: the same one has the same key, however often it is sent.
import { useCallback, useRef } from 'react'

/** Also on plain http, where `crypto.randomUUID` is absent. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/**
 * @returns the key of a request by what it says: the same until `forget` is called, once it is done. So a request that is
 * sent again because its answer was lost is done once, and the next one like it is another
 */
export function useRequestKey(): { keyOf: (content: string) => string; forget: () => void } {
  const keys = useRef(new Map<string, string>())
  const keyOf = useCallback((content: string) => {
    const key = keys.current.get(content) ?? newKey()
    keys.current.set(content, key)
    return key
  }, [])
  const forget = useCallback(() => keys.current.clear(), [])
  return { keyOf, forget }
}
