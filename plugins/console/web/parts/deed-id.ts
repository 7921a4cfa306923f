// Ids of deeds that move money: the same deed has the same id, however often it is sent.
import { useCallback, useRef } from 'react'

/** Also on plain http, where `crypto.randomUUID` is absent. */
function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/**
 * @returns the id of a deed by what it says: the same until `forget` is called, once it is done. So a deed that is sent
 * again because its answer was lost is done once, and the next one like it is another
 */
export function useDeedId(): { idOf: (content: string) => string; forget: () => void } {
  const ids = useRef(new Map<string, string>())
  const idOf = useCallback((content: string) => {
    const id = ids.current.get(content) ?? newId()
    ids.current.set(content, id)
    return id
  }, [])
  const forget = useCallback(() => ids.current.clear(), [])
  return { idOf, forget }
}
