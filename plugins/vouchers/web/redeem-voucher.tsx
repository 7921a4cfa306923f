// The button and the dialog to redeem a voucher.
import { Ticket } from 'lucide-react'
import { useState } from 'react'
import { api, send } from '../../console/web/app/client.ts'
import { useAction } from '../../console/web/parts/action.ts'
import { balanceUsd, exactUsd } from '../../console/web/parts/amounts.ts'
import { DialogButton } from '../../console/web/parts/dialog-buttons.tsx'
import { Field } from '../../console/web/parts/field.tsx'
import { Form, SubmitOrCancel } from '../../console/web/parts/form.tsx'
import { TextInput } from '../../console/web/parts/input.tsx'

export const RedeemVoucher = () => (
  <DialogButton
    icon={Ticket}
    right="buy"
    title="Redeem voucher"
    content={(close) => <RedeemForm onClose={close} />}
  >
    Redeem voucher
  </DialogButton>
)

function RedeemForm({ onClose }: { onClose: () => void }) {
  const [code, setCode] = useState('')
  const redeem = useAction({
    work: (body: { code: string }) => send(api.vouchers.redeem.post(body)),
    changes: ['entries', 'overview', 'account', 'start'],
    done: (_, { amount_nanos, balance_nanos, again }) => ({
      text: again
        ? 'You redeemed this voucher before. Nothing was added.'
        : `${exactUsd(amount_nanos)} USD added. Your balance is ${balanceUsd(balance_nanos)} USD.`,
    }),
  })
  async function submit(): Promise<void> {
    await redeem.runOrThrow({ code: code.trim() })
    onClose()
  }
  return (
    <Form submit={submit} aria-label="Redeem voucher">
      <Field label="Code" name="code" help="As it is on your voucher. Case and hyphens make no difference.">
        <TextInput
          autoComplete="off"
          autoCapitalize="characters"
          spellCheck={false}
          maxLength={200}
          value={code}
          onChange={setCode}
        />
      </Field>
      <SubmitOrCancel onCancel={onClose}>Redeem voucher</SubmitOrCancel>
    </Form>
  )
}
