// Notice in a page: a result, a hint or a warning.
import { CircleAlert, CircleCheck, Info, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'

const ICONS = { info: Info, good: CircleCheck, warn: TriangleAlert, bad: CircleAlert }

interface NoticeProps {
  tone?: keyof typeof ICONS
  /** Screen readers announce it when it appears. */
  alert?: boolean
  children: ReactNode
}

export function Notice({ tone = 'info', alert, children }: NoticeProps) {
  const Icon = ICONS[tone]
  return (
    <div className={`notice notice-${tone}`} role={alert ? 'alert' : undefined}>
      <Icon className="icon" aria-hidden />
      <div>{children}</div>
    </div>
  )
}
