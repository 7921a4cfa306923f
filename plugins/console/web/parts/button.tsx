// Buttons, and links that look like them. What is on one says what it does.
import { LoaderCircle, type LucideIcon } from 'lucide-react'
import type { ComponentProps, MouseEvent, ReactNode } from 'react'
import { Link } from 'wouter'
import type { Right } from '../../../../src/access/rights.ts'
import { useMay } from '../app/session.tsx'
import { names } from './class-names.ts'

export type Look = 'plain' | 'primary' | 'danger' | 'quiet'

interface Shape {
  look?: Look
  small?: boolean
  icon?: LucideIcon
  /** It is offered to those who have this right. */
  right?: Right
}

export interface ButtonProps extends Omit<ComponentProps<'button'>, 'className'>, Shape {
  /** Under way: it keeps the focus, and does nothing until it is done. */
  busy?: boolean
}

const classOf = ({ look = 'plain', small }: Shape, without_words = false): string =>
  names(
    'button',
    look !== 'plain' && `button-${look}`,
    small && 'button-small',
    without_words && 'button-icon',
  )

const isWordless = (children: ReactNode): boolean => children === undefined || children === null

/** A button. Without words (an icon alone) it needs an `aria-label`, which is its tooltip too. */
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
  /** Below /console. */
  href: string
  children?: ReactNode
  'aria-label'?: string
}

/** A link to another page that looks like a button. */
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
