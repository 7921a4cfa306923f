// The page of a link that signs in. Only its button uses the link, so that mail scanners do not use it up.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useLocation } from 'wouter'
import { ApiError, api, send } from '../../console/web/app/client.ts'
import { useSession } from '../../console/web/app/session.tsx'
import { Form, SubmitButton } from '../../console/web/parts/form.tsx'
import { Notice } from '../../console/web/parts/notice.tsx'
import { FailedState, Skeleton } from '../../console/web/parts/states.tsx'
import { INCOMPLETE, useLinkToken } from './link-token.ts'
import { OutsideFrame, requireKeptCookie } from './outside.tsx'

export default function SignInLink() {
  const token = useLinkToken()
  const { data: site } = useSession()
  const queries = useQueryClient()
  const [, go] = useLocation()
  const link = useQuery({
    queryKey: ['link', token],
    queryFn: () => send(api.links.look.post({ token })),
    retry: false,
    enabled: token !== '',
  })

  async function submit(): Promise<void> {
    await send(api.links['sign-in'].post({ token }))
    await requireKeptCookie()
    queries.clear()
    go('/', { replace: true })
  }

  if (token === '' || link.error instanceof ApiError)
    return (
      <OutsideFrame title="Link not valid">
        <Notice tone="warn">{link.error?.message ?? INCOMPLETE}</Notice>
        <p>
          <Link href="/">Sign in</Link>, or ask for a new link there.
        </p>
      </OutsideFrame>
    )
  if (link.error)
    return (
      <OutsideFrame title="Sign in">
        <FailedState failure={link.error} retry={() => void link.refetch()} />
      </OutsideFrame>
    )
  if (!link.data || !site) return <Skeleton rows={4} />
  const { person, account } = link.data
  return (
    <OutsideFrame
      title="Sign in"
      lead={
        account === null || account === person ? `As ${person}.` : `As ${person}, in the account ${account}.`
      }
      refusal={site.sign_in_refusal}
    >
      <Form submit={submit} aria-label="Sign in">
        <SubmitButton>Sign in</SubmitButton>
      </Form>
    </OutsideFrame>
  )
}
