// The frame of the pages without a session, and whether the browser kept a session.
import { type ReactNode, useEffect } from 'react'
import { titleTab } from '../../console/web/app/brand.ts'
import { api, send } from '../../console/web/app/client.ts'
import { BrandLinks, BrandMark } from '../../console/web/parts/brand.tsx'
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
    titleTab(title)
  }, [title])
  return (
    <div className="sign-in">
      <div className="sign-in-head">
        <div className="sign-in-brand">
          <BrandMark />
        </div>
        <h1>{title}</h1>
        {lead && <p className="soft">{lead}</p>}
      </div>
      {refusal ? <Notice tone="warn">{refusal}</Notice> : children}
      <BrandLinks className="sign-in-about" />
    </div>
  )
}

/**
 * Some browsers drop the cookie of a connection that they take for unsafe, and say nothing.
 *
 * @throws Error that says what to do
 */
export async function requireKeptCookie(): Promise<void> {
  const { viewer } = await send(api.session.get())
  if (!viewer)
    throw new Error(
      'Your browser did not keep the session cookie. Allow cookies for this address, or use HTTPS.',
    )
}
