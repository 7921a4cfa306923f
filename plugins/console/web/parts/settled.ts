// A typed value once typing pauses: for requests to the server meanwhile.
import { useEffect, useState } from 'react'

const PAUSE_MS = 120

export function useSettled(value: string): string {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}
