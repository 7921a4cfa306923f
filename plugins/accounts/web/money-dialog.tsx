// Dialog for a top-up, or for a debit with its reason.
import { useState } from 'react'
import { api, pathPart, send } from '../../console/web/app/client.ts'
import { ActionForm } from '../../console/web/parts/action-form.tsx'
import { balanceUsd, exactUsd } from '../../console/web/parts/amounts.ts'
import { shellQuote } from '../../console/web/parts/code-samples/samples.ts'
import { Dialog } from '../../console/web/parts/dialog.tsx'
import { Field } from '../../console/web/parts/field.tsx'
import { MoneyInput, TextInput } from '../../console/web/parts/input.tsx'
import { useRequestKey } from '../../console/web/parts/request-key.ts'

export type Movement = 'top-up' | 'debit'

interface MovedAccount {
  id: number
  name: string
  available_nanos: number
  held_nanos: number
  debt_nanos: number
}

interface MoneyDialogProps {
  account: MovedAccount
  movement: Movement | null
  onClose: () => void
}

export function MoneyDialog({ account, movement, onClose }: MoneyDialogProps) {
  const title = movement === 'debit' ? `Debit ${account.name}` : `Top up ${account.name}`
  return (
    <Dialog open={movement !== null} onClose={onClose} title={title}>
      {movement && <MoneyForm account={account} movement={movement} onClose={onClose} />}
    </Dialog>
  )
}

function MoneyForm({ account, movement, onClose }: MoneyDialogProps & { movement: Movement }) {
  const [amount, setAmount] = useState('')
  const [note, setNote] = useState('')
  const { keyOf, forget } = useRequestKey()
  const is_debit = movement === 'debit'
  const body = { amount: amount.trim(), note: note.trim() }
  const move = () => {
    const sent = { headers: { 'idempotency-key': keyOf(JSON.stringify([movement, body])) } }
    const of_account = api.accounts({ id: pathPart(account.id) })
    return send(is_debit ? of_account.debit.post(body, sent) : of_account['top-up'].post(body, sent))
  }
  return (
    <ActionForm
      label={is_debit ? 'Debit' : 'Top up'}
      work={move}
      changes={['accounts', 'account', 'entries', 'overview', 'start']}
      done={({ account: after, again }) =>
        `${doneText(movement, body.amount, again)} ${after.name} has ${balanceUsd(after.available_nanos)} USD available.`
      }
      onClose={onClose}
      onDone={() => {
        forget()
        onClose()
      }}
      verb={is_debit ? `Debit ${account.name}` : `Top up ${account.name}`}
      command={commandFor(account.name, { movement, ...body })}
    >
      <Field label="Amount" name="amount" help={helpFor(account, movement)}>
        <MoneyInput value={amount} onChange={setAmount} />
      </Field>
      <Field
        label={is_debit ? 'Reason' : 'Note'}
        name="note"
        help={
          is_debit
            ? 'The account holder sees it.'
            : 'Optional, such as an invoice number. The account holder sees it.'
        }
      >
        <TextInput value={note} onChange={setNote} autoComplete="off" />
      </Field>
    </ActionForm>
  )
}

function helpFor({ available_nanos, held_nanos, debt_nanos }: MovedAccount, movement: Movement): string {
  if (movement === 'debit') {
    const held = held_nanos > 0 ? `; ${exactUsd(held_nanos)} USD are held for running calls` : ''
    return `${balanceUsd(available_nanos)} USD available${held}.`
  }
  return debt_nanos > 0 ? `Pays the debt of ${exactUsd(debt_nanos)} USD first.` : 'Available at once.'
}

function doneText(movement: Movement, amount: string, again: boolean): string {
  if (again) return 'Already done. Nothing changed.'
  return movement === 'debit' ? `${amount} USD debited.` : `${amount} USD added.`
}

function commandFor(
  name: string,
  { movement, amount, note }: { movement: Movement; amount: string; note: string },
): string {
  const verb = movement === 'debit' ? 'debit' : 'credit'
  const with_note = note === '' ? '' : ` --note ${shellQuote(note)}`
  return `tollgate ${verb} ${name} ${amount || 'AMOUNT'}${with_note}`
}
