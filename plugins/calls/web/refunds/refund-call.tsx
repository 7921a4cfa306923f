// Button and dialog that refund a call, wholly or in part, with a preview of the account's balance.
import { Undo2 } from 'lucide-react'
import { useState } from 'react'
import { api, pathPart, send } from '../../../console/web/app/client.ts'
import { useApi } from '../../../console/web/app/query.ts'
import { ActionForm } from '../../../console/web/parts/action-form.tsx'
import { exactUsd } from '../../../console/web/parts/amounts.ts'
import { shellQuote } from '../../../console/web/parts/code-samples/samples.ts'
import { DialogButton } from '../../../console/web/parts/dialog-buttons.tsx'
import { Field } from '../../../console/web/parts/field.tsx'
import { MoneyInput, TextInput } from '../../../console/web/parts/input.tsx'
import { useRequestKey } from '../../../console/web/parts/request-key.ts'

interface CallToRefund {
  request_id: string
  cost_nanos: number
  refunded_nanos: number
}

/** The query subjects that a refund changes, including figures of the past. */
export const CHANGED_BY_REFUND = [
  'calls',
  'call-sums',
  'accounts',
  'account',
  'entries',
  'keys',
  'key',
  'overview',
  'usage',
  'refund',
]

/** Hidden if nothing is left to refund. */
export function RefundCall({ call }: { call: CallToRefund }) {
  const left_nanos = call.cost_nanos - call.refunded_nanos
  if (left_nanos === 0) return null
  return (
    <DialogButton
      icon={Undo2}
      title="Refund this call"
      content={(close) => <RefundForm {...call} left_nanos={left_nanos} onClose={close} />}
    >
      Refund
    </DialogButton>
  )
}

interface RefundFormProps extends CallToRefund {
  left_nanos: number
  onClose: () => void
}

function RefundForm({ request_id, cost_nanos, refunded_nanos, left_nanos, onClose }: RefundFormProps) {
  const whole = exactUsd(left_nanos)
  const [typed, setAmount] = useState(whole)
  const [reason, setReason] = useState('')
  const { keyOf, forget } = useRequestKey()
  const amount = typed.trim()
  const refund = () => {
    const body = { amount, reason: reason.trim() }
    const headers = { 'idempotency-key': keyOf(JSON.stringify(body)) }
    return send(api.calls({ request_id: pathPart(request_id) }).refund.post(body, { headers }))
  }
  const before = refunded_nanos > 0 ? `, ${exactUsd(refunded_nanos)} of it refunded` : ''
  return (
    <ActionForm
      label="Refund"
      work={refund}
      changes={CHANGED_BY_REFUND}
      done={({ account, refunded_nanos, balance_nanos }) =>
        `${exactUsd(refunded_nanos)} USD refunded to ${account}, whose balance is ${exactUsd(balance_nanos)} USD.`
      }
      onClose={onClose}
      onDone={() => {
        forget()
        onClose()
      }}
      verb={amount === whole ? `Refund ${whole} USD` : `Refund a part`}
      command={`tollgate refund ${request_id}${amount === whole ? '' : ` --amount ${amount || 'AMOUNT'}`}${reasonOption(reason)}`}
    >
      <Field label="Amount" name="amount" help={`Charged ${exactUsd(cost_nanos)} USD${before}.`}>
        <MoneyInput value={typed} onChange={setAmount} />
      </Field>
      <Field label="Reason" name="reason" help="Optional. The account holder sees it.">
        <TextInput value={reason} onChange={setReason} autoComplete="off" />
      </Field>
      <Preview request_id={request_id} amount={amount} />
    </ActionForm>
  )
}

export const reasonOption = (reason: string): string =>
  reason.trim() === '' ? '' : ` --reason ${shellQuote(reason.trim())}`

/** The balance after the refund. An invalid amount is reported only when the form is sent. */
function Preview({ request_id, amount }: { request_id: string; amount: string }) {
  const { data, error, isPlaceholderData } = useApi(['refund', request_id, amount], () =>
    api.calls({ request_id: pathPart(request_id) }).refund.get({ query: { amount } }),
  )
  if (error || !data) return <p className="soft">Enter the amount to refund.</p>
  const { account, balance_nanos, debt_nanos, balance_after_nanos, debt_after_nanos } = data
  const words = (balance: number, debt: number) =>
    `${exactUsd(balance)} USD${debt > 0 ? `, debt ${exactUsd(debt)} USD` : ''}`
  return (
    <p role="status" className={isPlaceholderData ? 'stale' : undefined}>
      Balance of {account}: {words(balance_nanos, debt_nanos)} now,{' '}
      <b>{words(balance_after_nanos, debt_after_nanos)}</b> after the refund.
    </p>
  )
}
