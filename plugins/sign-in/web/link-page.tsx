// The page of a mailed link: it checks the link's token, and shows why it is not valid, or what it is for.
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ApiError } from '../../console/web/app/client.ts'
import { useSession } from '../../console/web/app/session.tsx'
import { Notice } from '../../console/web/parts/notice.tsx'
import { FailedState, Skeleton } from '../../console/web/parts/states.tsx'
import { INCOMPLETE, useLinkToken } from './link-token.ts'
import { OutsideFrame } from './outside.tsx'

interface LinkPageProps<Link> {
  /** The first part of the query's key. */
  subject: string
  look: (token: string) => Promise<Link>
  /** Set if the link is checked only once. */
  once?: boolean
  title: string
  title_if_not_valid?: string
  /** Below the reason why the link is not valid. */
  advice?: ReactNode
  /** @param refusal the reason why nobody can sign in here */
  children: (link: Link, token: string, refusal: string | null) => ReactNode
}

export function LinkPage<Link>(props: LinkPageProps<Link>) {
  const { subject, look, once, title, title_if_not_valid = 'Link not valid', advice, children } = props
  const token = useLinkToken()
  const { data: site } = useSession()
  const link = useQuery({
    queryKey: [subject, token],
    queryFn: () => look(token),
    retry: false,
    ...(once && { staleTime: Number.POSITIVE_INFINITY }),
    enabled: token !== '',
  })
  if (token === '' || link.error instanceof ApiError)
    return (
      <OutsideFrame title={title_if_not_valid}>
        <Notice tone="warn">{link.error?.message ?? INCOMPLETE}</Notice>
        {advice}
      </OutsideFrame>
    )
  if (link.error)
    return (
      <OutsideFrame title={title}>
        <FailedState failure={link.error} retry={() => void link.refetch()} />
      </OutsideFrame>
    )
  if (!link.data || !site) return <Skeleton rows={4} />
  return children(link.data, token, site.sign_in_refusal)
}
