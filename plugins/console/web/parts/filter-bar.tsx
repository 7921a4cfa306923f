// Bar of filters above a list, with a button that clears them.
import type { ReactNode } from 'react'
import { Button } from './button.tsx'

interface FilterBarProps {
  label: string
  is_filtered: boolean
  clear: () => void
  children: ReactNode
}

export const FilterBar = ({ label, is_filtered, clear, children }: FilterBarProps) => (
  <search className="filters" aria-label={label}>
    {children}
    {is_filtered && (
      <Button look="quiet" onClick={clear}>
        Clear
      </Button>
    )}
  </search>
)
