// The page of the books: do the sums hold, rule by rule.
import { Redirect } from 'wouter'
import { useAddressState } from '../../console/web/parts/address-state.ts'
import { Page } from '../../console/web/parts/page.tsx'
import { Audit } from './audit.tsx'

export default function Books() {
  const [{ tab }] = useAddressState({ tab: '' })
  // The entries were a tab of this page once: addresses are kept.
  if (tab === 'entries') return <Redirect to="/entries" replace />
  return (
    <Page title="Books" lead="Every balance, hold and charge, checked against each other.">
      <Audit />
    </Page>
  )
}
