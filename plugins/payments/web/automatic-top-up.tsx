// The automatic top-up of an account on the page "Payments": setting, cost of this month, and the reason why it is off.
import { useState } from 'react'
import { Link } from 'wouter'
import { api, send } from '../../console/web/app/client.ts'
import { useApi } from '../../console/web/app/query.ts'
import { useFeature } from '../../console/web/app/session.tsx'
import { useAction } from '../../console/web/parts/action.ts'
import { Button } from '../../console/web/parts/button.tsx'
import { Facts } from '../../console/web/parts/facts.tsx'
import { Section } from '../../console/web/parts/page.tsx'
import { Loaded } from '../../console/web/parts/states.tsx'
import { Status } from '../../console/web/parts/status.tsx'
import { ClockTime } from '../../console/web/parts/time.tsx'
import { useOffer } from './offer.tsx'
import { useMethods } from './order-list.tsx'
import { useCard } from './saved-card.tsx'
import { type TopUp, TopUpForm } from './top-up-form.tsx'

/** Whether a payment method charges saved cards; otherwise the section is hidden. */
export const useTopUpOffered = (): boolean => useFeature('automatic_top_up')

export const useTopUp = (enabled: boolean) =>
  useApi(['automatic-top-up'], () => api['automatic-top-up'].get(), { enabled })

export function AutomaticTopUp() {
  const query = useTopUp(true)
  const [editing, setEditing] = useState(false)
  const lacks_card = useLacksCard()
  return (
    <Section
      title="Automatic top-up"
      actions={
        query.data &&
        !lacks_card && <TopUpActions top_up={query.data.automatic_top_up} edit={() => setEditing(true)} />
      }
    >
      <Loaded query={query} rows={2}>
        {({ automatic_top_up }) => (
          <>
            {automatic_top_up ? (
              <TopUpFacts top_up={automatic_top_up} />
            ) : (
              <p className="soft">
                Your card is charged when your balance runs low, so that calls go on.
                {lacks_card && ' Add a card first.'}
              </p>
            )}
            {editing && <TopUpForm top_up={automatic_top_up} onClose={() => setEditing(false)} />}
          </>
        )}
      </Loaded>
    </Section>
  )
}

/** Whether the account must save a card first. Payment methods of custom plugins store cards themselves. */
function useLacksCard(): boolean {
  const has_cards = useFeature('saved_cards')
  const { data } = useCard(has_cards)
  const { methods } = useMethods()
  const is_only_method = methods.filter(({ charges_cards }) => charges_cards).length === 1
  return has_cards && is_only_method && data !== undefined && data.card === null
}

function TopUpActions({ top_up, edit }: { top_up: TopUp | null; edit: () => void }) {
  const turnOff = useAction({
    work: () => send(api['automatic-top-up'].delete()),
    changes: ['automatic-top-up'],
    done: () => ({ text: 'Automatic top-up is off' }),
  })
  if (!top_up?.is_on)
    return (
      <Button right="buy" onClick={edit}>
        {top_up ? 'Turn on' : 'Set up'}
      </Button>
    )
  return (
    <>
      <Button right="buy" onClick={edit}>
        Edit
      </Button>
      <Button right="pay" busy={turnOff.busy} onClick={() => turnOff.run(undefined)}>
        Turn off
      </Button>
    </>
  )
}

function TopUpFacts({ top_up }: { top_up: TopUp }) {
  const { is_on, below_usd, method, currency, amount, month_limit, used_this_month, order_id } = top_up
  const { data: offer } = useOffer({ method, currency, amount })
  return (
    <Facts
      facts={[
        ['Status', <TopUpStatus key="status" top_up={top_up} />],
        ['Balance below', `${below_usd} USD`],
        ['Adds', `${offer ? `${offer.credit_usd} USD for ` : ''}${amount} ${currency}`],
        ['Charged this month', `${used_this_month} of at most ${month_limit} ${currency}`],
        [
          'In progress',
          order_id !== null && (
            <Link key="order" href={`/orders/${order_id}`}>
              Order {order_id}
            </Link>
          ),
        ],
        [
          'Last payment failed',
          is_on && top_up.failure !== null && (
            <span key="failure">
              {top_up.failure}
              {top_up.next_try_at_ms !== null && (
                <>
                  {' '}
                  Next try: <ClockTime at_ms={top_up.next_try_at_ms} />.
                </>
              )}
            </span>
          ),
        ],
      ]}
    />
  )
}

const OFF: Readonly<Record<NonNullable<TopUp['off_reason']>, string>> = {
  person: 'Turned off by someone of this account.',
  failures: 'Three payments in a row failed.',
  card: 'The card was removed.',
  account: 'The account was suspended or closed.',
}

function TopUpStatus({ top_up }: { top_up: TopUp }) {
  const { is_on, is_limit_used, off_reason, failure } = top_up
  if (is_on && is_limit_used)
    return (
      <>
        <Status tone="warn">On</Status> This month’s limit is reached. It goes on next month.
      </>
    )
  if (is_on) return <Status tone="good">On</Status>
  return (
    <>
      <Status tone={off_reason === 'failures' ? 'bad' : 'idle'}>Off</Status>{' '}
      {off_reason !== null && OFF[off_reason]}
      {off_reason === 'failures' && failure !== null && ` ${failure}`}
    </>
  )
}
