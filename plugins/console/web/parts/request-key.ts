// Idempotency keys of requests that move money or create a secret.
import { useCallback, useRef } from 'react'

/** Works on plain HTTP, too, where `crypto.randomUUID` is missing. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/**
 * Returns `keyOf`, which gives requests with the same content the same key until `forget` is called. Call `forget` after a success: a
 * request that is repeated because its answer was lost has the same key, and a later request with the same content has a new one.
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
