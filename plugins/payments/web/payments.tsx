// The page "Payments": for accounts orders, saved card and automatic top-up; for the staff, see operator-payments.tsx.
import { Link } from 'wouter'
import { useViewer } from '../../console/web/app/session.tsx'
import { Figure, Figures } from '../../console/web/parts/figure.tsx'
import { Money } from '../../console/web/parts/money.tsx'
import { Page, Section } from '../../console/web/parts/page.tsx'
import { Skeleton } from '../../console/web/parts/states.tsx'
import { RedeemVoucher } from '../../vouchers/web/redeem-voucher.tsx'
import { AddFundsLink } from './add-funds-link.tsx'
import { AutomaticTopUp, useTopUp, useTopUpOffered } from './automatic-top-up.tsx'
import { OperatorPayments } from './operator-payments.tsx'
import { OrderList, useMethods } from './order-list.tsx'
import { useOwnAccount } from './own-account.ts'
import { SavedCard } from './saved-card.tsx'
import { TestMode } from './test-mode.tsx'

export default function Payments() {
  const { side } = useViewer()
  return side === 'operator' ? <OperatorPayments /> : <AccountPayments />
}

function AccountPayments() {
  const { methods, is_awaited } = useMethods()
  const own = useOwnAccount()
  const has_top_up = useTopUpOffered()
  const top_up = useTopUp(has_top_up)
  return (
    <Page
      title="Payments"
      lead="What you paid, and what it added to your balance."
      actions={
        <>
          <RedeemVoucher />
          <AddFundsLink />
        </>
      }
    >
      {/* Parts that load later would push the content below them down. */}
      {is_awaited || own.isLoading || (has_top_up && top_up.isPending) ? (
        <Skeleton rows={8} />
      ) : (
        <>
          <TestMode is_test={methods.some(({ is_test }) => is_test)} />
          {own.data?.account && <Balance {...own.data.account} />}
          <SavedCard />
          {has_top_up && <AutomaticTopUp />}
          <Section title="Orders">
            <OrderList />
          </Section>
        </>
      )}
    </Page>
  )
}

function Balance({ available_nanos, debt_nanos }: { available_nanos: number; debt_nanos: number }) {
  const transactions = <Link href="/transactions">See transactions</Link>
  return (
    <Figures>
      <Figure label="Balance" value={<Money nanos={available_nanos} balance />} note={transactions} />
      {debt_nanos > 0 && (
        <Figure label="Debt" value={<Money nanos={debt_nanos} balance />} note="added funds pay it first" />
      )}
    </Figures>
  )
}
