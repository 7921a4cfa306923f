// Menu of actions and links behind a button.
import { Menu as Base } from '@base-ui/react/menu'
import { Ellipsis, type LucideIcon } from 'lucide-react'
import type { ReactElement } from 'react'
import { useLocation, useRouter } from 'wouter'
import { Button } from './button.tsx'
import { classNames } from './class-names.ts'

export interface MenuItem {
  label: string
  icon?: LucideIcon
  onSelect?: () => void
  /** Set for a link: a path below /console. */
  href?: string
  danger?: boolean
  disabled?: boolean
}

interface MenuProps {
  /** For screen readers: "More for alice". */
  label: string
  /** 'line' separates groups. */
  items: readonly (MenuItem | 'line')[]
  trigger?: ReactElement
}

export function Menu({ label, items, trigger }: MenuProps) {
  return (
    <Base.Root>
      <Base.Trigger render={trigger ?? <Button look="quiet" small icon={Ellipsis} aria-label={label} />} />
      <Base.Portal>
        <Base.Positioner className="float-positioner" sideOffset={4} align="end">
          <Base.Popup className="float" aria-label={label}>
            {items.map((item, at) =>
              item === 'line' ? (
                // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other identity
                <Base.Separator key={at} className="float-line" />
              ) : (
                <Item key={item.label} {...item} />
              ),
            )}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}

function Item({ label, icon: Icon, onSelect, href, danger, disabled }: MenuItem) {
  const [, go] = useLocation()
  const { base } = useRouter()
  const className = classNames('float-item', danger && 'float-item-danger')
  const content = (
    <>
      {Icon && <Icon className="icon" aria-hidden />}
      <span>{label}</span>
    </>
  )
  if (href === undefined)
    return (
      <Base.Item className={className} disabled={disabled} onClick={onSelect}>
        {content}
      </Base.Item>
    )
  return (
    <Base.LinkItem
      className={className}
      closeOnClick
      href={base + href}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey) return
        event.preventDefault()
        go(href)
      }}
    >
      {content}
    </Base.LinkItem>
  )
}
