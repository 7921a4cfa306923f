// The frame of the pages without a session, and the check that the browser kept the session cookie.
import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect } from 'react'
import { useLocation } from 'wouter'
import { setTabTitle } from '../../console/web/app/brand.ts'
import { api, send } from '../../console/web/app/client.ts'
import { BrandLinks, BrandMark } from '../../console/web/parts/brand.tsx'
import { Notice } from '../../console/web/parts/notice.tsx'

interface OutsideFrameProps {
  title: string
  lead?: ReactNode
  /** The reason why nobody can sign in here; shown instead of the form. */
  refusal?: string | null
  children?: ReactNode
}

export function OutsideFrame({ title, lead, refusal, children }: OutsideFrameProps) {
  useEffect(() => {
    setTabTitle(title)
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
 * Checks that the browser kept the cookie: some silently drop cookies of connections that they consider unsafe.
 *
 * @throws Error with instructions
 */
export async function requireKeptCookie(): Promise<void> {
  const { viewer } = await send(api.session.get())
  if (!viewer)
    throw new Error(
      'Your browser did not keep the session cookie. Allow cookies for this address, or use HTTPS.',
    )
}

/** Returns the function that opens a page once the visitor has signed in. */
export function useArrival(): (page: string) => Promise<void> {
  const queries = useQueryClient()
  const [, go] = useLocation()
  return async (page) => {
    await requireKeptCookie()
    queries.clear()
    go(page, { replace: true })
  }
}
