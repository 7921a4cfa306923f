// The redirect from the console's start address to the first steps, until a first call was made or the viewer postponed them.
import { type ReactNode, useEffect } from 'react'
import { Redirect, useLocation } from 'wouter'
import { readLocal, writeLocal } from '../../console/web/app/browser-storage.ts'
import { api } from '../../console/web/app/client.ts'
import { useApi } from '../../console/web/app/query.ts'
import { useMay, useViewer } from '../../console/web/app/session.tsx'

interface Visitor {
  account_id: number | null
}

const storageKeyOf = ({ account_id }: Visitor): string =>
  account_id === null ? 'tollgate-first-steps' : `tollgate-first-steps-${account_id}`

/** Remembers in this browser not to open the first steps automatically; their page stays available. */
export const postpone = (viewer: Visitor): void => writeLocal(storageKeyOf(viewer), 'put off')

/** Renders `children`, or redirects an operator or account holder without a first call. */
export function FirstVisit({ children }: { children: ReactNode }) {
  const viewer = useViewer()
  const { side } = viewer
  const may_do_steps = useMay(side === 'operator' ? 'operate' : 'call')
  const [path] = useLocation()
  const may_redirect =
    side !== 'key' && may_do_steps && path === '/' && readLocal(storageKeyOf(viewer)) === null
  const { data, error } = useApi(['start', ''], () => api.start.get({ query: {} }), { enabled: may_redirect })
  const has_called = data?.due === false
  useEffect(() => {
    if (has_called) postpone(viewer)
  }, [has_called, viewer])
  if (may_redirect && !data && !error) return null
  if (may_redirect && data?.due) return <Redirect to={side === 'operator' ? '/setup' : '/start'} replace />
  return children
}
