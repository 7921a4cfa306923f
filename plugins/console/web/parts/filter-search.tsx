// A search box above a list: what is typed becomes a filter after a pause.
import { useEffect, useRef, useState } from 'react'
import { SearchInput } from './input.tsx'

const PAUSE_MS = 200

interface FilterSearchProps {
  label: string
  placeholder?: string
  value: string
  onChange: (value: string) => void
}

export function FilterSearch({ label, placeholder, value, onChange }: FilterSearchProps) {
  const [typed, setTyped] = useState(value)
  const told = useRef(value)
  const tell = useRef(onChange)
  tell.current = onChange

  // The filter was changed elsewhere: by the back button, or by a button that clears all.
  useEffect(() => {
    if (value !== told.current) setTyped(value)
    told.current = value
  }, [value])

  useEffect(() => {
    const wanted = typed.trim()
    if (wanted === told.current) return
    const timer = setTimeout(() => {
      told.current = wanted
      tell.current(wanted)
    }, PAUSE_MS)
    return () => clearTimeout(timer)
  }, [typed])

  return <SearchInput aria-label={label} placeholder={placeholder} value={typed} onChange={setTyped} />
}
