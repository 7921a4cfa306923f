// The way to the first steps: taken by itself from the console's own address, until a first call was made or somebody put them off.
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
  const is_asked = role !== 'key' && path === '/' && !isPutOff(viewer)
  const of_operator = useAsk(['setup'], () => api.setup.get(), { enabled: is_asked && role === 'operator' })
  const of_account = useAsk(['start'], () => api.start.get(), { enabled: is_asked && role === 'account' })
  const { data, error } = role === 'operator' ? of_operator : of_account
  const is_over = data?.due === false
  useEffect(() => {
    if (is_over) putOff(viewer)
  }, [is_over, viewer])
  if (is_asked && !data && !error) return null
  if (is_asked && data?.due) return <Redirect to={role === 'operator' ? '/setup' : '/start'} replace />
  return children
}
