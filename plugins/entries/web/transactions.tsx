// Page of transactions: all entries of balances.
import { useAccountScope } from '../../console/web/parts/account-choice.tsx'
import { AccountFilter } from '../../console/web/parts/filter-fields.tsx'
import { Page } from '../../console/web/parts/page.tsx'
import { AddFundsLink } from '../../payments/web/add-funds-link.tsx'
import { RedeemVoucher } from '../../vouchers/web/redeem-voucher.tsx'
import { EntriesList } from './entries-list.tsx'

export default function Transactions() {
  const { is_operator, account, choose } = useAccountScope()
  return (
    <Page
      title="Transactions"
      lead={
        is_operator && account === undefined
          ? 'Top-ups, charges, refunds and debits of every account.'
          : 'Top-ups, charges, refunds and debits. They add up to the balance.'
      }
      actions={
        is_operator ? (
          <AccountFilter any="All accounts" value={account ?? ''} onChange={choose} />
        ) : (
          <>
            <RedeemVoucher />
            <AddFundsLink />
          </>
        )
      }
    >
      <EntriesList account={account} />
    </Page>
  )
}
