// The page of keys: who may do what.
import { useViewer } from '../../app/session.tsx'
import { ChosenAccount } from '../../parts/account-choice.tsx'
import { KeysList } from '../../parts/keys/keys-list.tsx'
import { useOnlyOwnKey } from '../../parts/only-own-key.tsx'
import { Page } from '../../parts/page.tsx'
import { useWhose } from '../../parts/whose.ts'

const LEADS = {
  operator: 'Each key belongs to an account. Limit or revoke each one by itself.',
  account: 'Your programs call the gateway with a key. Limit or revoke each one by itself.',
  key: 'The keys of your account. Sign in with the account’s password to create or revoke one.',
}

export default function Keys() {
  const { role } = useViewer()
  const own_key = useOnlyOwnKey()
  const whose = useWhose()
  return (
    <Page
      title="Keys"
      lead={own_key ?? LEADS[role]}
      actions={whose.account !== undefined && <ChosenAccount {...whose} />}
    >
      <KeysList chosen={whose.account} />
    </Page>
  )
}
