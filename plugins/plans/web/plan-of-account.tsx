// The staff's page of an account's plan.
import { Users } from 'lucide-react'
import { api, pathPart } from '../../console/web/app/client.ts'
import type { PageProps } from '../../console/web/app/page-entry.ts'
import { useApi } from '../../console/web/app/query.ts'
import { ButtonLink } from '../../console/web/parts/button.tsx'
import { Page } from '../../console/web/parts/page.tsx'
import { AwaitedPage } from '../../console/web/parts/states.tsx'
import { AccountPlan } from './account-plan.tsx'

export default function PlanOfAccount({ params: { account = '' } }: PageProps) {
  const known = useApi(['account', account], () => api.accounts({ id: pathPart(account) }).get())
  if (!known.data) return <AwaitedPage title="Plan" query={known} />
  const { id, name, display_name } = known.data
  return (
    <Page
      title={`Plan of ${display_name || name}`}
      lead="What is left of its limits, and the months it paid for."
      actions={
        <ButtonLink icon={Users} href={`/accounts/${id}`}>
          Account
        </ButtonLink>
      }
    >
      <AccountPlan account={String(id)} />
    </Page>
  )
}
