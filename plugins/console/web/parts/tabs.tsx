// Tabs. The address has the open one.
import { Tabs as Base } from '@base-ui/react/tabs'
import type { ReactNode } from 'react'
import { useAddressState } from './address-state.ts'

interface TabEntry {
  value: string
  title: string
  content: ReactNode
}

interface TabsProps {
  label: string
  /** The first one is open if the address has none of them. */
  tabs: readonly TabEntry[]
  param?: string
}

export function Tabs({ label, tabs, param = 'tab' }: TabsProps) {
  const first = tabs[0]?.value ?? ''
  const [state, change] = useAddressState({ [param]: first })
  const open = tabs.find(({ value }) => value === state[param])?.value ?? first
  return (
    <Base.Root
      className="tabs"
      value={open}
      onValueChange={(value) => change({ [param]: String(value) }, { push: true })}
    >
      <Base.List className="tab-list" aria-label={label}>
        {tabs.map(({ value, title }) => (
          <Base.Tab key={value} value={value} className="tab">
            {title}
          </Base.Tab>
        ))}
      </Base.List>
      {tabs.map(({ value, content }) => (
        <Base.Panel key={value} value={value}>
          {content}
        </Base.Panel>
      ))}
    </Base.Root>
  )
}
