// Buttons, and links that look like buttons.
import { LoaderCircle, type LucideIcon } from 'lucide-react'
import type { ComponentProps, MouseEvent, ReactNode } from 'react'
import { Link } from 'wouter'
import type { Right } from '../../../../src/access/rights.ts'
import { useMay } from '../app/session.tsx'
import { classNames } from './class-names.ts'

export type Look = 'plain' | 'primary' | 'danger' | 'quiet'

interface Shape {
  look?: Look
  small?: boolean
  icon?: LucideIcon
  /** The button is hidden from viewers without this right. */
  right?: Right
}

export interface ButtonProps extends Omit<ComponentProps<'button'>, 'className'>, Shape {
  /** The action is running: the button keeps the focus, and ignores presses. */
  busy?: boolean
}

const classOf = ({ look = 'plain', small }: Shape, icon_only = false): string =>
  classNames(
    'button',
    look !== 'plain' && `button-${look}`,
    small && 'button-small',
    icon_only && 'button-icon',
  )

const isWordless = (children: ReactNode): boolean => children === undefined || children === null

/** A button. With an icon alone it needs an `aria-label`, which is also its tooltip. */
export function Button({
  look,
  small,
  icon: Icon,
  right,
  busy = false,
  children,
  onClick,
  ...rest
}: ButtonProps) {
  const is_offered = useMay(right)
  const wordless = isWordless(children)
  const press = (event: MouseEvent<HTMLButtonElement>): void => {
    if (busy) event.preventDefault()
    else onClick?.(event)
  }
  if (!is_offered) return null
  return (
    <button
      type="button"
      title={wordless ? rest['aria-label'] : undefined}
      {...rest}
      className={classOf({ look, small }, wordless)}
      aria-busy={busy || undefined}
      aria-disabled={busy || undefined}
      onClick={press}
    >
      {busy ? (
        <LoaderCircle className="icon spin" aria-hidden />
      ) : (
        Icon && <Icon className="icon" aria-hidden />
      )}
      {children}
    </button>
  )
}

interface ButtonLinkProps extends Shape {
  /** The path below /console. */
  href: string
  children?: ReactNode
  'aria-label'?: string
}

export function ButtonLink({ href, look, small, icon: Icon, right, children, ...rest }: ButtonLinkProps) {
  const is_offered = useMay(right)
  const wordless = isWordless(children)
  if (!is_offered) return null
  return (
    <Link
      href={href}
      title={wordless ? rest['aria-label'] : undefined}
      {...rest}
      className={classOf({ look, small }, wordless)}
    >
      {Icon && <Icon className="icon" aria-hidden />}
      {children}
    </Link>
  )
}
