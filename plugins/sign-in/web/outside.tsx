// The frame of the pages without a session: the name of the program, a title, why it cannot go on.
import { TrafficCone } from 'lucide-react'
import { type ReactNode, useEffect } from 'react'
import { Notice } from '../../console/web/parts/notice.tsx'

interface OutsideFrameProps {
  title: string
  lead?: ReactNode
  /** The reason why nobody can sign in here, in place of the form. */
  refusal?: string | null
  children?: ReactNode
}

export function OutsideFrame({ title, lead, refusal, children }: OutsideFrameProps) {
  useEffect(() => {
    document.title = `${title} · Tollgate`
  }, [title])
  return (
    <div className="sign-in">
      <div className="sign-in-head">
        <div className="sign-in-brand">
          <TrafficCone className="icon" aria-hidden /> Tollgate
        </div>
        <h1>{title}</h1>
        {lead && <p className="soft">{lead}</p>}
      </div>
      {refusal ? <Notice tone="warn">{refusal}</Notice> : children}
    </div>
  )
}
