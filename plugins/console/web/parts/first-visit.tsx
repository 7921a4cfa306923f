// The way to the first steps: taken by itself from the console's own address, until a first call was made or somebody put them off.
import { type ReactNode, useEffect } from 'react'
import { Redirect, useLocation } from 'wouter'
import { api } from '../app/client.ts'
import { useAsk } from '../app/query.ts'
import { useViewer } from '../app/session.tsx'
import { isPutOff, putOff } from './first-visit-put-off.ts'

/** Shows `children`, unless the operator is at /console for the first time. */
export function FirstVisit({ children }: { children: ReactNode }) {
  const { role } = useViewer()
  const [path] = useLocation()
  const is_asked = role === 'operator' && path === '/' && !isPutOff()
  const { data, error } = useAsk(['setup'], () => api.setup.get(), { enabled: is_asked })
  const is_over = data?.due === false
  useEffect(() => {
    if (is_over) putOff()
  }, [is_over])
  if (is_asked && !data && !error) return null
  if (is_asked && data?.due) return <Redirect to="/setup" replace />
  return children
}
