// The dialog that creates vouchers and shows their codes once, to copy or save.
import { Download } from 'lucide-react'
import { useState } from 'react'
import { type AnswerOf, api, send } from '../../console/web/app/client.ts'
import { ActionForm } from '../../console/web/parts/action-form.tsx'
import { Button } from '../../console/web/parts/button.tsx'
import { Code } from '../../console/web/parts/code.tsx'
import { shellQuote } from '../../console/web/parts/code-samples/samples.ts'
import { Dialog, type DialogState, useResult } from '../../console/web/parts/dialog.tsx'
import { Field } from '../../console/web/parts/field.tsx'
import { FormActions } from '../../console/web/parts/form.tsx'
import { MoneyInput, TextInput, UnitInput } from '../../console/web/parts/input.tsx'
import { Notice } from '../../console/web/parts/notice.tsx'
import { Switch } from '../../console/web/parts/switch.tsx'

type Created = AnswerOf<(typeof api)['voucher-batches']['post']>

export function CreateDialog({ open, onClose }: DialogState) {
  const [created, setCreated, close] = useResult<Created>(onClose)
  return (
    <Dialog
      open={open}
      onClose={close}
      dismissable={created === null}
      title={created ? `${voucherWord(created.codes.length)} created` : 'Create vouchers'}
    >
      {created ? (
        <CreatedCodes created={created} onClose={close} />
      ) : (
        <CreateForm onCreated={setCreated} onClose={close} />
      )}
    </Dialog>
  )
}

const voucherWord = (count: number): string => (count === 1 ? '1 voucher' : `${count} vouchers`)

function CreateForm({ onCreated, onClose }: { onCreated: (created: Created) => void; onClose: () => void }) {
  const [amount, setAmount] = useState('')
  const [count, setCount] = useState('1')
  const [days, setDays] = useState('90')
  const [once_per_account, setOnce] = useState(false)
  const [note, setNote] = useState('')
  const create = () =>
    send(
      api['voucher-batches'].post({
        amount: amount.trim(),
        count: Number(count),
        ...(days.trim() !== '' && { days: Number(days) }),
        once_per_account,
        note: note.trim(),
      }),
    )
  const command = [
    `tollgate voucher create --usd ${amount.trim() || 'AMOUNT'} --count ${count}`,
    ...(days.trim() === '' ? [] : [`--expires ${days.trim()}d`]),
    ...(once_per_account ? ['--once-per-account'] : []),
    ...(note.trim() === '' ? [] : [`--note ${shellQuote(note.trim())}`]),
  ].join(' ')
  return (
    <ActionForm
      label="Create vouchers"
      work={create}
      changes={['voucher-batches', 'vouchers']}
      onClose={onClose}
      onDone={onCreated}
      verb="Create vouchers"
      command={command}
    >
      <Field label="Amount" name="amount" help="What each of them adds to a balance.">
        <MoneyInput value={amount} onChange={setAmount} />
      </Field>
      <Field label="Number of vouchers" name="count">
        <TextInput inputMode="numeric" autoComplete="off" value={count} onChange={setCount} />
      </Field>
      <Field label="Expire in" name="days" help="Leave empty for vouchers that never expire.">
        <UnitInput unit="days" inputMode="numeric" value={days} onChange={setDays} />
      </Field>
      <Field inline label="One per account" help="An account can redeem only one voucher of this batch.">
        <Switch checked={once_per_account} onChange={setOnce} />
      </Field>
      <Field label="Note" name="note" help="Optional. Accounts do not see it.">
        <TextInput value={note} onChange={setNote} autoComplete="off" />
      </Field>
    </ActionForm>
  )
}

function CreatedCodes({ created, onClose }: { created: Created; onClose: () => void }) {
  const { batch, codes, amount_usd, expires_at } = created
  const lines = [
    'code,amount_usd,expires_at',
    ...codes.map((code) => [code, amount_usd, expires_at ?? ''].join()),
  ]
  const csv = `data:text/csv;charset=utf-8,${encodeURIComponent(`${lines.join('\r\n')}\r\n`)}`
  return (
    <div className="stack">
      <Notice tone="warn">Copy or save the codes now. They are shown only once.</Notice>
      <div className="voucher-codes">
        <Code what={codes.length === 1 ? 'code' : 'codes'} secret>
          {codes.join('\n')}
        </Code>
      </div>
      <FormActions>
        <a className="button" href={csv} download={`vouchers-${batch}.csv`}>
          <Download className="icon" aria-hidden />
          Save as CSV
        </a>
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
      </FormActions>
    </div>
  )
}
