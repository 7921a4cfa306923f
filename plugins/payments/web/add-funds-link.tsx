// Link to "Add funds" on pages of an account; empty without a payment method.
import { Plus } from 'lucide-react'
import { useFeature, useMay, useViewer } from '../../console/web/app/session.tsx'
import { ButtonLink } from '../../console/web/parts/button.tsx'

export function useCanPay(): boolean {
  const { side } = useViewer()
  const may_pay = useMay('pay')
  return useFeature('payments') && may_pay && side === 'account'
}

export function AddFundsLink() {
  const can_pay = useCanPay()
  if (!can_pay) return null
  return (
    <ButtonLink look="primary" icon={Plus} href="/add-funds">
      Add funds
    </ButtonLink>
  )
}
