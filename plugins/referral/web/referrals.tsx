// The page "Referrals" of the staff.
import { Gift } from 'lucide-react'
import { Link } from 'wouter'
import { api } from '../../console/web/app/client.ts'
import { useApi } from '../../console/web/app/query.ts'
import { ButtonLink } from '../../console/web/parts/button.tsx'
import { ExportCsv } from '../../console/web/parts/export-csv.tsx'
import { Money } from '../../console/web/parts/money.tsx'
import { Page } from '../../console/web/parts/page.tsx'
import { PagedTable } from '../../console/web/parts/paged-table.tsx'
import { RightLink } from '../../console/web/parts/right-link.tsx'
import { EmptyState } from '../../console/web/parts/states.tsx'
import { type Column, column, endColumn, useCursor } from '../../console/web/parts/table.tsx'
import { ClockTime } from '../../console/web/parts/time.tsx'
import type { ConsoleReferral } from '../list.ts'

export default function Referrals() {
  const page = { cursor: useCursor() }
  const referrals = useApi(['referrals', page], () => api.referrals.get({ query: page }))
  return (
    <Page
      title="Referrals"
      lead="Accounts that signed up through another account’s link, and what that account earned from their payments."
      actions={
        <>
          <ButtonLink href="/settings/referral" right="operate">
            Referral settings
          </ButtonLink>
          <ExportCsv list="referrals" query={{}} />
        </>
      }
    >
      <PagedTable
        query={referrals}
        rowsOf={(answer) => answer.referrals}
        label="Referrals"
        columns={COLUMNS}
        keyOf={({ id }) => id}
        none={
          <EmptyState icon={Gift} title="No referrals yet">
            Accounts find their link at “Refer a friend”, once you set a share in the{' '}
            <RightLink href="/settings/referral" right="operate">
              referral settings
            </RightLink>
            .
          </EmptyState>
        }
      />
    </Page>
  )
}

const COLUMNS: Column<ConsoleReferral>[] = [
  column('account', 'Account', 'first', ({ account_id, account }) => (
    <Link href={`/accounts/${account_id}`}>{account}</Link>
  )),
  column('referrer', 'Referred by', 'second', ({ referrer_id, referrer }) => (
    <>
      <span className="on-phone">by </span>
      <Link href={`/accounts/${referrer_id}`}>{referrer}</Link>
    </>
  )),
  endColumn('payments', 'Payments', 'none', ({ payments }) => payments),
  endColumn('earned', 'Earned', 'first-end', ({ earned_nanos }) => <Money nanos={earned_nanos} balance />),
  endColumn('created', 'When', 'second-end', ({ created_at_ms }) => <ClockTime at_ms={created_at_ms} />),
]
