// The form that marks an order as paid, with the amount and reference of the bank statement.
import { useState } from 'react'
import { api, pathPart, send } from '../../console/web/app/client.ts'
import { useAction } from '../../console/web/parts/action.ts'
import { AsCommand } from '../../console/web/parts/code.tsx'
import { shellQuote } from '../../console/web/parts/code-samples/samples.ts'
import { Field } from '../../console/web/parts/field.tsx'
import { Form, SubmitOrCancel } from '../../console/web/parts/form.tsx'
import { TextInput, UnitInput } from '../../console/web/parts/input.tsx'
import { CHANGES, type OrderFormProps } from './order-form.ts'
import { amountOf } from './words.ts'

export function MarkForm({ order, onClose }: OrderFormProps) {
  const { id, currency } = order
  const [amount, setAmount] = useState('')
  const [reference, setReference] = useState('')
  const { runOrThrow } = useAction({
    work: () =>
      send(
        api
          .orders({ id: pathPart(id) })
          ['mark-paid'].post({ amount: amount.trim(), currency, reference: reference.trim() }),
      ),
    changes: CHANGES,
    done: () => ({ text: `Order ${id} marked as paid. ${order.credit_usd} USD added to ${order.account}.` }),
  })
  return (
    <Form
      submit={async () => {
        await runOrThrow(undefined)
        onClose()
      }}
      aria-label="Mark as paid"
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
      <SubmitOrCancel onCancel={onClose}>{`Add ${order.credit_usd} USD to ${order.account}`}</SubmitOrCancel>
      <AsCommand
        command={`tollgate order mark-paid ${id} ${amount.trim() || 'AMOUNT'} --currency ${currency} --reference ${shellQuote(reference.trim() || 'REFERENCE')}`}
      />
    </Form>
  )
}
