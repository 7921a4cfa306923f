// The form of a refund: amount, reason, options, and a preview of the debit.
import { useState } from 'react'
import { api, pathPart, send } from '../../console/web/app/client.ts'
import { useApi } from '../../console/web/app/query.ts'
import { ActionForm } from '../../console/web/parts/action-form.tsx'
import { exactUsd } from '../../console/web/parts/amounts.ts'
import { shellQuote } from '../../console/web/parts/code-samples/samples.ts'
import { Field } from '../../console/web/parts/field.tsx'
import { TextInput, UnitInput } from '../../console/web/parts/input.tsx'
import { Switch } from '../../console/web/parts/switch.tsx'
import { CHANGES, type OrderFormProps } from './order-form.ts'

export function RefundForm({ order, onClose }: OrderFormProps) {
  const { id, currency, left, account } = order
  const [amount, setAmount] = useState(left)
  const [reason, setReason] = useState('')
  const [into_debt, setIntoDebt] = useState(false)
  const [end_plan, setEndPlan] = useState(order.plan?.can_end ?? false)
  const refund = () => {
    const body = { amount: amount.trim(), left, into_debt, reason: reason.trim(), end_plan }
    return send(api.orders({ id: pathPart(id) }).refund.post(body))
  }
  const is_whole = amount.trim() === left
  return (
    <ActionForm
      label="Refund"
      work={refund}
      changes={CHANGES}
      done={({ state }) =>
        state === 'refund_failed'
          ? `The payment method refused the refund of order ${id}. The money is on the balance again.`
          : `${amount.trim()} ${currency} of order ${id} refunded`
      }
      onClose={onClose}
      verb={amount.trim() === '' ? 'Refund' : `Refund ${amount.trim()} ${currency}`}
      command={`tollgate order refund ${id}${is_whole ? '' : ` ${amount.trim() || 'AMOUNT'}`}${into_debt ? ' --into-debt' : ''}${end_plan ? ' --end-plan' : ''}${reason.trim() === '' ? '' : ` --reason ${shellQuote(reason.trim())}`}`}
    >
      <p>
        {end_plan && order.plan
          ? `The refunded part comes out of the price of ${order.plan.title}.`
          : `The credit of the refunded part is taken from ${account}’s balance.`}{' '}
        The money then goes back by the same payment method: {order.method_title}.
      </p>
      {order.plan?.can_end && (
        <Field
          inline
          label={`End ${order.plan.title} now`}
          name="end_plan"
          help="Otherwise the plan goes on, and the refund is taken from the balance."
        >
          <Switch checked={end_plan} onChange={setEndPlan} />
        </Field>
      )}
      <Field label="Amount" name="amount" help={`Up to ${left} ${currency}.`}>
        <UnitInput unit={currency} value={amount} onChange={setAmount} />
      </Field>
      <Field label="Reason" name="reason" help="Optional. The account holder sees it.">
        <TextInput value={reason} onChange={setReason} autoComplete="off" />
      </Field>
      <Field
        inline
        label="Allow debt"
        name="into_debt"
        help="If off, a refund of more than the available balance is refused."
      >
        <Switch checked={into_debt} onChange={setIntoDebt} />
      </Field>
      <DebitPreview {...{ id, account, currency, into_debt, end_plan }} amount={amount.trim()} />
    </ActionForm>
  )
}

interface DebitPreviewProps {
  id: number
  account: string
  currency: string
  amount: string
  into_debt: boolean
  end_plan: boolean
}

/** For an invalid amount only asks for an amount: the error comes when the form is sent. */
function DebitPreview({ id, account, currency, amount, into_debt, end_plan }: DebitPreviewProps) {
  const { data, error, isPlaceholderData } = useApi(['order-refund', id, amount, end_plan], () =>
    api
      .orders({ id: pathPart(id) })
      .refund.get({ query: { amount, ...(end_plan && { end_plan: 'yes' as const }) } }),
  )
  if (error || !data) return <p className="soft">Enter the amount to refund.</p>
  const { debit_nanos, lacking_nanos, balance_nanos, fee, gifts_nanos } = data
  const lacking = `${exactUsd(lacking_nanos)} USD more than the available balance`
  return (
    <p role="status" className={isPlaceholderData ? 'stale' : undefined}>
      <b>{exactUsd(debit_nanos)} USD</b> is taken from the balance of {account}
      {lacking_nanos > 0 &&
        (into_debt ? `: ${lacking}, which becomes debt` : `: ${lacking}, so the refund will be refused`)}
      .{lacking_nanos === 0 && ` It is then ${exactUsd(balance_nanos)} USD.`}
      {fee !== null && Number(fee) > 0 && ` The fee of the payment, ${fee} ${currency}, does not come back.`}
      {gifts_nanos > 0 &&
        ` Credit that came with the payment, such as a welcome credit, is taken back within a minute: ${exactUsd(gifts_nanos)} USD. Any shortfall becomes debt.`}
    </p>
  )
}
