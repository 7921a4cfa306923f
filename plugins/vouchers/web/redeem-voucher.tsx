// The button and the dialog to redeem a voucher.
import { Ticket } from 'lucide-react'
import { useState } from 'react'
import { api, send } from '../../console/web/app/client.ts'
import { ActionForm } from '../../console/web/parts/action-form.tsx'
import { balanceUsd, exactUsd } from '../../console/web/parts/amounts.ts'
import { DialogButton } from '../../console/web/parts/dialog-buttons.tsx'
import { Field } from '../../console/web/parts/field.tsx'
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
  return (
    <ActionForm
      label="Redeem voucher"
      work={() => send(api.vouchers.redeem.post({ code: code.trim() }))}
      changes={['entries', 'overview', 'account', 'start']}
      done={({ amount_nanos, balance_nanos, again }) =>
        again
          ? 'You redeemed this voucher before. Nothing was added.'
          : `${exactUsd(amount_nanos)} USD added. Your balance is ${balanceUsd(balance_nanos)} USD.`
      }
      onClose={onClose}
      verb="Redeem voucher"
    >
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
    </ActionForm>
  )
}
