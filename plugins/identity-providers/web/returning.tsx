// The page to which a provider sends a person back. It posts the provider's answer with a request of its own, since browsers omit the console's
// cookies on requests that come from another site, and removes the answer from the address at once.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { ApiError, api, send } from '../../console/web/app/client.ts'
import type { PageProps } from '../../console/web/app/page-entry.ts'
import { toast } from '../../console/web/app/toasts.tsx'
import { Notice } from '../../console/web/parts/notice.tsx'
import { FailedState, Skeleton } from '../../console/web/parts/states.tsx'
import { OutsideFrame, requireKeptCookie } from '../../sign-in/web/outside.tsx'
import { CONFIRMED } from './go-to-provider.ts'

export default function Returning({ params: { provider = '' } }: PageProps) {
  const [query] = useState(() => location.search)
  const queries = useQueryClient()
  const [, go] = useLocation()
  useEffect(() => {
    if (query !== '') history.replaceState(null, '', location.pathname)
  }, [query])
  const finished = useQuery({
    queryKey: ['identity', provider, query],
    queryFn: async () => {
      const answer = await send(api['identity-providers'].finish.post({ provider, query }))
      await requireKeptCookie()
      return answer
    },
    // The provider's answer works once.
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    enabled: query !== '',
  })
  const { data, error } = finished
  useEffect(() => {
    if (!data) return
    if (data.purpose === 'confirm') return notifyOtherTabs()
    queries.clear()
    if (data.purpose === 'link') toast({ text: 'Identity linked' })
    go(data.next, { replace: true })
  }, [data, queries, go])

  if (query === '' || error instanceof ApiError)
    return (
      <OutsideFrame title="Not signed in">
        <Notice tone="warn">{error?.message ?? 'This page is the end of a sign-in. Start again.'}</Notice>
        <p>
          <Link href="/">Back to sign in</Link>
        </p>
      </OutsideFrame>
    )
  if (data?.purpose === 'confirm')
    return (
      <OutsideFrame title="Confirmed">
        <p>You can close this tab, and go on where you were.</p>
      </OutsideFrame>
    )
  return (
    <OutsideFrame title="Signing in">
      {error ? <FailedState failure={error} retry={() => location.reload()} /> : <Skeleton rows={2} />}
    </OutsideFrame>
  )
}

/** The waiting tab continues, and this tab closes if the browser allows it. */
function notifyOtherTabs(): void {
  const channel = new BroadcastChannel(CONFIRMED)
  channel.postMessage(true)
  channel.close()
  close()
}
