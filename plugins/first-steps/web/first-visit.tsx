// The redirect to the first steps, from the console's own address, until a first call was made or the viewer put them off.
import { type ReactNode, useEffect } from 'react'
import { Redirect, useLocation } from 'wouter'
import { api } from '../../console/web/app/client.ts'
import { keepIn, keptIn } from '../../console/web/app/kept.ts'
import { useApi } from '../../console/web/app/query.ts'
import { useMay, useViewer } from '../../console/web/app/session.tsx'

interface Visitor {
  account_id: number | null
}

const markOf = ({ account_id }: Visitor): string =>
  account_id === null ? 'tollgate-first-steps' : `tollgate-first-steps-${account_id}`

/** In this browser, the console no longer opens the first steps by itself; their page stays. */
export const putOff = (viewer: Visitor): void => keepIn(markOf(viewer), 'put off')

/** Shows `children`, unless the operator or an account holder is at /console for the first time. */
export function FirstVisit({ children }: { children: ReactNode }) {
  const viewer = useViewer()
  const { side } = viewer
  const is_first = useMay(side === 'operator' ? 'operate' : 'call')
  const [path] = useLocation()
  const may_redirect = side !== 'key' && is_first && path === '/' && keptIn(markOf(viewer)) === null
  const { data, error } = useApi(['start', ''], () => api.start.get({ query: {} }), { enabled: may_redirect })
  const is_over = data?.due === false
  useEffect(() => {
    if (is_over) putOff(viewer)
  }, [is_over, viewer])
  if (may_redirect && !data && !error) return null
  if (may_redirect && data?.due) return <Redirect to={side === 'operator' ? '/setup' : '/start'} replace />
  return children
}
