// State as a word with an icon and a colour.
import {
  CircleAlert,
  CircleCheck,
  CircleDashed,
  CircleMinus,
  type LucideIcon,
  TriangleAlert,
} from 'lucide-react'

export type Tone = 'good' | 'warn' | 'bad' | 'idle' | 'busy'

const ICONS: Record<Tone, LucideIcon> = {
  good: CircleCheck,
  warn: TriangleAlert,
  bad: CircleAlert,
  idle: CircleMinus,
  busy: CircleDashed,
}

interface StatusProps {
  tone: Tone
  /** The word: "active", "suspended". */
  children: string
  title?: string
  icon?: LucideIcon
}

export function Status({ tone, children, title, icon }: StatusProps) {
  const Icon = icon ?? ICONS[tone]
  return (
    <span className={`status status-${tone}`} title={title}>
      <Icon className="icon" aria-hidden />
      <span>{children}</span>
    </span>
  )
}
