// The redirect to the first steps, from the console's own address, until a first call was made or the viewer put them off.
import { type ReactNode, useEffect } from 'react'
import { Redirect, useLocation } from 'wouter'
import { api } from '../../console/web/app/client.ts'
import { useAsk } from '../../console/web/app/query.ts'
import { useViewer } from '../../console/web/app/session.tsx'
import { isPutOff, putOff } from './put-off.ts'

/** Shows `children`, unless the operator or an account holder is at /console for the first time. */
export function FirstVisit({ children }: { children: ReactNode }) {
  const viewer = useViewer()
  const { role } = viewer
  const [path] = useLocation()
  const may_redirect = role !== 'key' && path === '/' && !isPutOff(viewer)
  const of_operator = useAsk(['setup'], () => api.setup.get(), {
    enabled: may_redirect && role === 'operator',
  })
  const of_account = useAsk(['start'], () => api.start.get(), { enabled: may_redirect && role === 'account' })
  const { data, error } = role === 'operator' ? of_operator : of_account
  const is_over = data?.due === false
  useEffect(() => {
    if (is_over) putOff(viewer)
  }, [is_over, viewer])
  if (may_redirect && !data && !error) return null
  if (may_redirect && data?.due) return <Redirect to={role === 'operator' ? '/setup' : '/start'} replace />
  return children
}
