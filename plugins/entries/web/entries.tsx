// The page of entries: every movement of a balance.
import { ChosenAccount } from '../../console/web/parts/account-choice.tsx'
import { Page } from '../../console/web/parts/page.tsx'
import { useWhose } from '../../console/web/parts/whose.ts'
import { EntriesList } from './entries-list.tsx'

export default function Entries() {
  const whose = useWhose()
  return (
    <Page
      title="Entries"
      lead={
        whose.is_operator
          ? 'Top-ups, charges and debits of every account.'
          : 'Every top-up, charge and debit. They add up to your balance.'
      }
      actions={whose.account !== undefined && <ChosenAccount {...whose} />}
    >
      <EntriesList account={whose.account} />
    </Page>
  )
}
