// The saved card that pays for the next plan months if the balance is too low: its choice, and the reason of a failed charge.
import { useState } from 'react'
import { Link } from 'wouter'
import { api, send } from '../../console/web/app/client.ts'
import { useApi } from '../../console/web/app/query.ts'
import { useFeature } from '../../console/web/app/session.tsx'
import { useAction } from '../../console/web/parts/action.ts'
import { exactUsd } from '../../console/web/parts/amounts.ts'
import { Button } from '../../console/web/parts/button.tsx'
import { ConfirmDialog } from '../../console/web/parts/dialog.tsx'
import { Field } from '../../console/web/parts/field.tsx'
import { Notice } from '../../console/web/parts/notice.tsx'
import { Section } from '../../console/web/parts/page.tsx'
import { Select } from '../../console/web/parts/select.tsx'
import { Loaded } from '../../console/web/parts/states.tsx'
import { Time } from '../../console/web/parts/time.tsx'
import type { Plan, PlanPage } from './words.ts'

interface RenewalProps {
  plan: Plan
  page: PlanPage
}

/** Empty without a payment method that charges saved cards, or if the plan does not renew. */
export function Renewal({ plan, page }: RenewalProps) {
  const is_offered = useFeature('automatic_top_up')
  return is_offered && plan.renews ? <RenewalSection plan={plan} page={page} /> : null
}

const EVERY_MS = 10_000

/** @param is_own whether the viewer's own plan is shown. The page then waits for the data, so that content below does not move later */
export function useRenewal(is_own: boolean) {
  const enabled = useFeature('automatic_top_up') && is_own
  const has_cards = useFeature('saved_cards') && enabled
  const query = useApi(['plan-renewal'], () => api['plan-renewal'].get({ query: {} }), {
    every_ms: EVERY_MS,
    enabled,
  })
  const saved = useApi(['payment-card'], () => api['payment-card'].get({ query: {} }), { enabled: has_cards })
  const lacks_card = has_cards && saved.data?.card === null
  return { query, lacks_card, is_awaited: query.isLoading || saved.isLoading }
}

function RenewalSection({ plan, page }: RenewalProps) {
  const { query, lacks_card } = useRenewal(true)
  const [choosing, setChoosing] = useState(false)
  const stop = useAction({
    work: () => send(api['plan-renewal'].put({ card: null })),
    changes: ['plan-renewal', 'plan'],
    done: () => ({ text: `${plan.title} renews from the balance` }),
  })
  const { card, currencies = [] } = query.data ?? {}
  return (
    <Section
      title="Renewal"
      actions={
        card ? (
          <Button right="buy" busy={stop.busy} onClick={() => stop.run(undefined)}>
            Stop charging card
          </Button>
        ) : (
          currencies.length > 0 &&
          !lacks_card && (
            <Button right="buy" onClick={() => setChoosing(true)}>
              Use saved card
            </Button>
          )
        )
      }
    >
      <Loaded query={query} rows={1}>
        {({ failure, next_try_at_ms, open_order_id }) => (
          <div className="stack">
            <p>
              Each month is paid from your balance.{' '}
              {card
                ? `If that is too low, your saved card is charged (${card.method_title}, ${card.currency}).`
                : lacks_card && (
                    <>
                      To have a card charged if that is too low, <Link href="/payments">add a card</Link>{' '}
                      first.
                    </>
                  )}
            </p>
            {failure !== null && (
              <Notice tone="bad">
                Your card was not charged. {failure}
                {next_try_at_ms !== null && (
                  <>
                    {' '}
                    Next try: <Time at_ms={next_try_at_ms} exact />.
                  </>
                )}
              </Notice>
            )}
            {open_order_id !== null && (
              <p>
                <Link href={`/orders/${open_order_id}`}>Order {open_order_id}</Link> is waiting for its
                payment.
              </p>
            )}
          </div>
        )}
      </Loaded>
      {choosing && (
        <ChooseCard plan={plan} page={page} currencies={currencies} onClose={() => setChoosing(false)} />
      )}
    </Section>
  )
}

function ChooseCard({
  plan,
  page,
  currencies,
  onClose,
}: RenewalProps & { currencies: readonly string[]; onClose: () => void }) {
  const [currency, setCurrency] = useState(currencies[0] ?? '')
  const use = useAction({
    work: () => send(api['plan-renewal'].put({ card: { currency } })),
    changes: ['plan-renewal', 'plan'],
    done: () => ({ text: 'Your card pays if the balance is too low' }),
  })
  const price_nanos = page.offered.find((offer) => offer.plan === plan.plan)?.price_nanos ?? plan.price_nanos
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title="Use saved card"
      verb="Use saved card"
      look="primary"
      consequence={
        <div className="stack">
          <p>
            If your balance is too low when a month of {plan.title} ends, your saved card is charged for{' '}
            {exactUsd(price_nanos)} USD without asking you each time. You can stop it at any time.
          </p>
          {currencies.length > 1 && (
            <Field label="Currency" name="currency">
              <Select
                options={currencies.map((code) => ({ value: code, label: code }))}
                value={currency}
                onChange={setCurrency}
              />
            </Field>
          )}
        </div>
      }
      confirm={() => use.runOrThrow(undefined)}
    />
  )
}
