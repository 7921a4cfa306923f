// The notice of an account many of whose requests were refused in the last hour: how many, why, and what to do.
import { Link } from 'wouter'
import { useViewer } from '../../console/web/app/session.tsx'
import { counted } from '../../console/web/parts/amounts.ts'
import { Notice } from '../../console/web/parts/notice.tsx'
import { type Refusals, refusedHref } from './refusals.ts'
import { refusalAdvice, refusalReason } from './words.ts'

const MANY = 25

interface ManyRefusedProps {
  /** Absent while they are not known. */
  refusals: Refusals | undefined
  /** AccountScope they are; absent for the viewer's own. */
  account?: { id: number; name: string }
}

/** Nothing while there are few. */
export function ManyRefused({ refusals, account }: ManyRefusedProps) {
  const { role } = useViewer()
  if (!refusals || refusals.last_hour < MANY) return null
  const { last_hour, reasons_of_hour } = refusals
  const [most] = reasons_of_hour
  return (
    <Notice tone="warn">
      <p>
        <b>
          {account?.name ?? 'Your account'} had {counted(last_hour, 'request')} refused in the last hour
          {most ? `: ${refusalReason(most.code)}.` : '.'}
        </b>
      </p>
      {most?.sentence && <p className="soft">“{most.sentence}”</p>}
      <p>
        {most && `${refusalAdvice(most.code, role)} `}
        <Link href={refusedHref({ account: account?.id })}>See refused requests</Link>
      </p>
    </Notice>
  )
}
