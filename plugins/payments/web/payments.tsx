// The page Payments: of an account its orders and the way to add funds; of the staff what payments bring, and what waits for them.
import { useViewer } from '../../console/web/app/session.tsx'
import { Page, Section } from '../../console/web/parts/page.tsx'
import { RedeemVoucher } from '../../vouchers/web/redeem-voucher.tsx'
import { AddFundsLink } from './add-funds-link.tsx'
import { OperatorPayments } from './operator-payments.tsx'
import { OrderList, useMethods } from './order-list.tsx'
import { TestMode } from './test-mode.tsx'

export default function Payments() {
  const { side } = useViewer()
  return side === 'operator' ? <OperatorPayments /> : <AccountPayments />
}

function AccountPayments() {
  const { methods } = useMethods()
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
      <TestMode is_test={methods.some(({ is_test }) => is_test)} />
      <Section title="Orders">
        <OrderList />
      </Section>
    </Page>
  )
}
