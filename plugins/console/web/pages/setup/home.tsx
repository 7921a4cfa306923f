// The address /console: the first visit where no call was ever made and nobody put it off, else the overview.
import { lazy, useEffect } from 'react'
import { Redirect } from 'wouter'
import { api } from '../../app/client.ts'
import type { PageProps } from '../../app/page-entry.ts'
import { useAsk } from '../../app/query.ts'
import { useViewer } from '../../app/session.tsx'
import { isPutOff, putOff } from './put-off.ts'

const Overview = lazy(() => import('../overview/overview.tsx'))

export default function Home(props: PageProps) {
  const { role } = useViewer()
  const is_asked = role === 'operator' && !isPutOff()
  const { data, error } = useAsk(['setup'], () => api.setup.get(), { enabled: is_asked })
  const is_over = data?.due === false
  useEffect(() => {
    if (is_over) putOff()
  }, [is_over])
  if (is_asked && !data && !error) return null
  if (is_asked && data?.due) return <Redirect to="/setup" replace />
  return <Overview {...props} />
}
