// The page "Add funds": amount, currency and payment method, with the credit of the payment.
import { useState } from 'react'
import { useLocation } from 'wouter'
import { type AnswerOf, api, send } from '../../console/web/app/client.ts'
import { useApi } from '../../console/web/app/query.ts'
import { toast } from '../../console/web/app/toasts.tsx'
import { useAction } from '../../console/web/parts/action.ts'
import { useAddressState } from '../../console/web/parts/address-state.ts'
import { balanceUsd, exactUsd } from '../../console/web/parts/amounts.ts'
import { Choices } from '../../console/web/parts/choices.tsx'
import { Field } from '../../console/web/parts/field.tsx'
import { Form, FormActions, SubmitButton } from '../../console/web/parts/form.tsx'
import { UnitInput } from '../../console/web/parts/input.tsx'
import { Page } from '../../console/web/parts/page.tsx'
import { useRequestKey } from '../../console/web/parts/request-key.ts'
import { Select } from '../../console/web/parts/select.tsx'
import { EmptyState, Loaded, Skeleton } from '../../console/web/parts/states.tsx'
import { Offer, useOffer, type WantedOffer } from './offer.tsx'
import { useOwnAccount } from './own-account.ts'
import { TestMode } from './test-mode.tsx'

export default function AddFunds() {
  const own = useOwnAccount()
  const methods = useApi(['payment-methods'], () => api['payment-methods'].get())
  return (
    <Page title="Add funds" width="form">
      <Loaded query={methods} rows={4}>
        {(data) =>
          own.isLoading ? (
            <Skeleton rows={4} />
          ) : data.methods.some(({ currencies }) => currencies.length > 0) ? (
            <>
              {own.data?.account && <CurrentBalance {...own.data.account} />}
              <FundsForm {...data} />
            </>
          ) : (
            <EmptyState title="No payment method">
              Ask the operator of this gateway how to add funds.
            </EmptyState>
          )
        }
      </Loaded>
    </Page>
  )
}

const CurrentBalance = ({ available_nanos, debt_nanos }: { available_nanos: number; debt_nanos: number }) => (
  <p>
    {debt_nanos > 0
      ? `You owe ${exactUsd(debt_nanos)} USD. Added funds pay it first.`
      : `Your balance is ${balanceUsd(available_nanos)} USD.`}
  </p>
)

type Methods = AnswerOf<(typeof api)['payment-methods']['get']>

const grouped = (amount: string): string => amount.replace(/\B(?=(\d{3})+(?!\d))(?<!\.\d*)/g, ',')

/** State of the form: method, currency and amount of the address, or the first ones. */
function useFundsChoice({ methods, presets }: Methods) {
  const [state, change] = useAddressState({ method: '', currency: '', amount: '' })
  const usable = methods.filter(({ currencies }) => currencies.length > 0)
  const method = usable.find(({ name }) => name === state.method) ?? usable[0]
  const currency =
    method?.currencies.find(({ currency }) => currency === state.currency) ?? method?.currencies[0]
  const [typed, setTyped] = useState(state.amount || (presets[1] ?? presets[0] ?? ''))
  return {
    usable,
    method,
    currency,
    amount: typed,
    wanted: {
      method: method?.name ?? '',
      currency: currency?.currency ?? '',
      amount: typed.trim(),
    } as WantedOffer,
    choose: (some: Partial<WantedOffer>) => {
      if (some.amount !== undefined) setTyped(some.amount)
      else change(some)
    },
  }
}

function FundsForm(data: Methods) {
  const { presets, bonuses } = data
  const { usable, method, currency, amount, wanted, choose } = useFundsChoice(data)
  const offer = useOffer(wanted)
  const [, go] = useLocation()
  const { keyOf, forget } = useRequestKey()
  const { runOrThrow } = useAction({
    work: (request_key: string) =>
      send(api.orders.post(wanted, { headers: { 'idempotency-key': request_key } })),
    changes: ['orders'],
  })

  async function pay(): Promise<void> {
    const { order, go_to, problem } = await runOrThrow(keyOf(JSON.stringify(wanted)))
    forget()
    if (go_to !== null) location.assign(go_to)
    else {
      if (problem !== null) toast({ tone: 'bad', text: problem, subject: 'orders' })
      go(`/orders/${order.id}`)
    }
  }

  return (
    <>
      <TestMode is_test={method?.is_test} />
      <Form submit={pay} aria-label="Add funds">
        <MethodFields {...{ usable, method, wanted, choose }} />
        {presets.length > 0 && (
          <Choices
            label="Proposed amounts"
            options={presets.map((preset) => ({ value: preset, label: `${preset} ${wanted.currency}` }))}
            value={amount.trim()}
            onChange={(preset) => choose({ amount: preset })}
          />
        )}
        <Field
          label="Amount"
          name="amount"
          help={currency && `From ${grouped(currency.min)} to ${grouped(currency.max)} ${currency.currency}.`}
        >
          <UnitInput unit={wanted.currency} value={amount} onChange={(typed) => choose({ amount: typed })} />
        </Field>
        <Offer wanted={wanted} method={usable.length === 1 ? method?.title : undefined} />
        <Bonuses bonuses={bonuses} />
        <FormActions>
          <SubmitButton>
            {offer.isError || wanted.amount === '' ? 'Pay' : `Pay ${wanted.amount} ${wanted.currency}`}
          </SubmitButton>
        </FormActions>
      </Form>
    </>
  )
}

const Bonuses = ({ bonuses }: Pick<Methods, 'bonuses'>) =>
  bonuses.length === 0 ? null : (
    <p className="small soft">
      {bonuses.map(({ from_nanos, percent }) => (
        <span key={from_nanos} className="payments-bonus">
          {percent} % bonus from {exactUsd(from_nanos)} USD of credit.{' '}
        </span>
      ))}
    </p>
  )

/** Selects for method and currency; each only if there are several. */
function MethodFields({
  usable,
  method,
  wanted,
  choose,
}: Pick<ReturnType<typeof useFundsChoice>, 'usable' | 'method' | 'wanted' | 'choose'>) {
  return (
    <>
      {usable.length > 1 && (
        <Field label="Payment method" name="method">
          <Select
            options={usable.map(({ name, title }) => ({ value: name, label: title }))}
            value={wanted.method}
            onChange={(name) => choose({ method: name })}
          />
        </Field>
      )}
      {method && method.currencies.length > 1 && (
        <Field label="Currency" name="currency">
          <Select
            options={method.currencies.map(({ currency }) => ({ value: currency, label: currency }))}
            value={wanted.currency}
            onChange={(code) => choose({ currency: code })}
          />
        </Field>
      )}
    </>
  )
}
