// The dialog that turns automatic top-up on or changes it: threshold, amount and monthly limit.
import { useState } from 'react'
import { type AnswerOf, api, send } from '../../console/web/app/client.ts'
import { useApi } from '../../console/web/app/query.ts'
import { ActionForm } from '../../console/web/parts/action-form.tsx'
import { Dialog } from '../../console/web/parts/dialog.tsx'
import { Field } from '../../console/web/parts/field.tsx'
import { MoneyInput, UnitInput } from '../../console/web/parts/input.tsx'
import { Select } from '../../console/web/parts/select.tsx'
import { Loaded } from '../../console/web/parts/states.tsx'
import { Offer } from './offer.tsx'

export type TopUp = NonNullable<AnswerOf<(typeof api)['automatic-top-up']['get']>['automatic_top_up']>

interface TopUpFormProps {
  /** Null if it was never set. */
  top_up: TopUp | null
  onClose: () => void
}

export function TopUpForm(props: TopUpFormProps) {
  const methods = useApi(['payment-methods'], () => api['payment-methods'].get())
  return (
    <Dialog open onClose={props.onClose} title="Automatic top-up">
      <Loaded query={methods} rows={4}>
        {(data) => <Fields {...props} {...data} />}
      </Loaded>
    </Dialog>
  )
}

type Methods = AnswerOf<(typeof api)['payment-methods']['get']>

const DEFAULT_BELOW_USD = '5'

function Fields({ top_up, onClose, methods, presets }: TopUpFormProps & Methods) {
  const charging = methods.filter(({ charges_cards }) => charges_cards)
  const method = charging.find(({ name }) => name === top_up?.method) ?? charging[0]
  const { currencies = [], name = '' } = method ?? {}
  const [draft, setDraft] = useState(() => ({
    below_usd: top_up?.below_usd ?? DEFAULT_BELOW_USD,
    currency:
      currencies.find(({ currency }) => currency === top_up?.currency)?.currency ??
      currencies[0]?.currency ??
      '',
    amount: top_up?.amount ?? presets[1] ?? presets[0] ?? '',
    month_limit: top_up?.month_limit ?? '',
  }))
  const set = (some: Partial<typeof draft>) => setDraft({ ...draft, ...some })
  const { currency, amount } = draft
  const is_on = top_up?.is_on === true
  const save = () =>
    send(
      api['automatic-top-up'].put({
        below_usd: draft.below_usd.trim(),
        ...(name !== '' && { method: name }),
        currency,
        amount: amount.trim(),
        month_limit: draft.month_limit.trim(),
      }),
    )
  return (
    <ActionForm
      label="Automatic top-up"
      work={save}
      changes={['automatic-top-up']}
      done={() => (is_on ? 'Automatic top-up changed' : 'Automatic top-up is on')}
      onClose={onClose}
      verb={is_on ? 'Save changes' : 'Turn on'}
    >
      <Field label="When the balance is below" name="below_usd">
        <MoneyInput value={draft.below_usd} onChange={(below_usd) => set({ below_usd })} />
      </Field>
      {currencies.length > 1 && (
        <Field label="Currency" name="currency">
          <Select
            options={currencies.map(({ currency }) => ({ value: currency, label: currency }))}
            value={currency}
            onChange={(code) => set({ currency: code })}
          />
        </Field>
      )}
      <Field label="Charge" name="amount">
        <UnitInput unit={currency} value={amount} onChange={(typed) => set({ amount: typed })} />
      </Field>
      <Offer payer="Each time you pay" wanted={{ method: name, currency, amount: amount.trim() }} />
      <Field
        label="Monthly limit"
        name="month_limit"
        help="At most this much is charged in a calendar month (UTC)."
      >
        <UnitInput
          unit={currency}
          value={draft.month_limit}
          onChange={(month_limit) => set({ month_limit })}
        />
      </Field>
      <p className="soft">
        Your card is charged without asking you each time. You can turn it off at any time.
      </p>
    </ActionForm>
  )
}
