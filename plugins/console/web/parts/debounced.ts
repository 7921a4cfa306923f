// Debounced value of an input, for requests while the user types.
import { useEffect, useState } from 'react'

const PAUSE_MS = 120

export function useDebounced(value: string): string {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}
