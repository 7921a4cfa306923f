// The page of entries: every movement of a balance.
import { ChosenAccount, useAccountScope } from '../../console/web/parts/account-choice.tsx'
import { Page } from '../../console/web/parts/page.tsx'
import { EntriesList } from './entries-list.tsx'

export default function Entries() {
  const scope = useAccountScope()
  return (
    <Page
      title="Entries"
      lead={
        scope.is_operator
          ? 'Top-ups, charges and debits of every account.'
          : 'Every top-up, charge and debit. They add up to your balance.'
      }
      actions={scope.account !== undefined && <ChosenAccount {...scope} />}
    >
      <EntriesList account={scope.account} />
    </Page>
  )
}
