// The page of keys: who may do what.
import { useViewer } from '../../console/web/app/session.tsx'
import { ChosenAccount, useAccountScope } from '../../console/web/parts/account-choice.tsx'
import { useOnlyOwnKeys } from '../../console/web/parts/only-own-keys.tsx'
import { Page } from '../../console/web/parts/page.tsx'
import { KeysList } from './keys-list.tsx'
import { OwnLimits } from './own-limits.tsx'

const LEADS = {
  operator: 'Each key belongs to an account. Limit or revoke each one by itself.',
  account: 'Your programs call the gateway with a key. Limit or revoke each one by itself.',
  key: 'The keys of your account. Sign in with the account’s password to create or revoke one.',
}

export default function Keys() {
  const { side } = useViewer()
  const own_keys = useOnlyOwnKeys()
  const scope = useAccountScope()
  return (
    <Page
      title="Keys"
      lead={own_keys ?? LEADS[side]}
      actions={scope.account !== undefined && <ChosenAccount {...scope} />}
    >
      <KeysList chosen={scope.account} />
      <OwnLimits />
    </Page>
  )
}
