// The form that marks an order as paid, with the amount and reference of the bank statement.
import { useState } from 'react'
import { api, pathPart, send } from '../../console/web/app/client.ts'
import { ActionForm } from '../../console/web/parts/action-form.tsx'
import { shellQuote } from '../../console/web/parts/code-samples/samples.ts'
import { Field } from '../../console/web/parts/field.tsx'
import { TextInput, UnitInput } from '../../console/web/parts/input.tsx'
import { CHANGES, type OrderFormProps } from './order-form.ts'
import { amountOf } from './words.ts'

export function MarkForm({ order, onClose }: OrderFormProps) {
  const { id, currency } = order
  const [amount, setAmount] = useState('')
  const [reference, setReference] = useState('')
  const markPaid = () => {
    const body = { amount: amount.trim(), currency, reference: reference.trim() }
    return send(api.orders({ id: pathPart(id) })['mark-paid'].post(body))
  }
  return (
    <ActionForm
      label="Mark as paid"
      work={markPaid}
      changes={CHANGES}
      done={() => `Order ${id} marked as paid. ${order.credit_usd} USD added to ${order.account}.`}
      onClose={onClose}
      verb={`Add ${order.credit_usd} USD to ${order.account}`}
      command={`tollgate order mark-paid ${id} ${amount.trim() || 'AMOUNT'} --currency ${currency} --reference ${shellQuote(reference.trim() || 'REFERENCE')}`}
    >
      <p>
        {amountOf(order)} is expected. Enter the amount on your bank statement: a different one adds no
        credit.
      </p>
      <Field label="Amount received" name="amount">
        <UnitInput unit={currency} value={amount} onChange={setAmount} />
      </Field>
      <Field label="Bank reference" name="reference" help="The bank’s number of the transfer.">
        <TextInput value={reference} onChange={setReference} autoComplete="off" />
      </Field>
    </ActionForm>
  )
}
