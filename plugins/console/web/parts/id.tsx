// An id, shortened: the whole id is its tooltip, and is copied.
import { classNames } from './class-names.ts'
import { Copy } from './copy.tsx'

const SHOWN_CHARS = 14

interface IdProps {
  value: string
  what?: string
  whole?: boolean
  copy?: boolean
}

export function Id({ value, what = 'id', whole, copy = true }: IdProps) {
  const short = whole || value.length <= SHOWN_CHARS + 2 ? value : `${value.slice(0, SHOWN_CHARS)}…`
  return (
    <span className={classNames('id', whole && 'id-whole')}>
      <code title={short === value ? undefined : value}>{short}</code>
      {copy && <Copy text={value} what={what} />}
    </span>
  )
}
