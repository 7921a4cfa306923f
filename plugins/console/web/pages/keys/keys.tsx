// The page of keys: who may do what.
import { useViewer } from '../../app/session.tsx'
import { KeysList } from '../../parts/keys/keys-list.tsx'
import { Page } from '../../parts/page.tsx'

const LEADS = {
  operator: 'What programs call with: each belongs to an account, and can be limited and revoked by itself.',
  account: 'What your programs call with. Each can be limited and revoked by itself.',
  key: 'The keys of your account. To make or revoke one, sign in with the account’s password.',
}

export default function Keys() {
  const { role } = useViewer()
  return (
    <Page title="Keys" lead={LEADS[role]}>
      <KeysList />
    </Page>
  )
}
