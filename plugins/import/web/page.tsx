// The page of calls before an import, of all accounts or of the viewer's own.
import { ChosenAccount, useAccountScope } from '../../console/web/parts/account-choice.tsx'
import { Page } from '../../console/web/parts/page.tsx'
import { HistoryList } from './history-list.tsx'

export default function History() {
  const scope = useAccountScope()
  return (
    <Page
      title="Calls before the import"
      lead="Calls at the gateway that accounts came from, by day and model. They are history: no usage and no balance counts them."
      actions={scope.account !== undefined && <ChosenAccount {...scope} />}
    >
      <HistoryList account={scope.account} />
    </Page>
  )
}
