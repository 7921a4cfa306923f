// The dialog to buy or change a plan: the amount due, the payment method, the credited rest, and the renewal.
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { type AnswerOf, api, send } from '../../console/web/app/client.ts'
import { useApi } from '../../console/web/app/query.ts'
import { useFeature } from '../../console/web/app/session.tsx'
import { toast } from '../../console/web/app/toasts.tsx'
import { useAction } from '../../console/web/parts/action.ts'
import { balanceUsd, exactUsd } from '../../console/web/parts/amounts.ts'
import { Button, ButtonLink } from '../../console/web/parts/button.tsx'
import { ConfirmDialog, Dialog, DialogActions } from '../../console/web/parts/dialog.tsx'
import { Facts } from '../../console/web/parts/facts.tsx'
import { Field } from '../../console/web/parts/field.tsx'
import { Notice } from '../../console/web/parts/notice.tsx'
import { useRequestKey } from '../../console/web/parts/request-key.ts'
import { Select } from '../../console/web/parts/select.tsx'
import { Skeleton } from '../../console/web/parts/states.tsx'
import { Time } from '../../console/web/parts/time.tsx'
import { type Offer, type PlanPage, standingOf } from './words.ts'

interface BuyDialogProps {
  offer: Offer
  /** The page data at the time of the choice. Its prices hold for ten minutes. */
  page: PlanPage
  account: string | undefined
  onClose: () => void
}

type Price = AnswerOf<(typeof api)['plan-prices']['get']>['prices'][number]

const BALANCE = 'balance'
/** Smaller rests are not mentioned. */
const A_CENT_NANOS = 10_000_000
const nameOf = ({ method, currency }: Price): string => `${method} ${currency}`

export function BuyDialog(props: BuyDialogProps) {
  const { offer, account } = props
  const { due_nanos } = offer
  const has_methods = useFeature('payments') && account === undefined && due_nanos !== null && due_nanos > 0
  const query = { due_nanos: due_nanos ?? 0 }
  const prices = useApi(['plan-prices', query], () => api['plan-prices'].get({ query }), {
    enabled: has_methods,
  })
  if (due_nanos === null) return <LaterChange {...props} />
  if (has_methods && prices.isLoading)
    return (
      <Dialog open onClose={props.onClose} title={titleOf(props)}>
        <Skeleton rows={4} />
      </Dialog>
    )
  return <Pay {...props} due_nanos={due_nanos} prices={prices.data?.prices ?? []} />
}

const titleOf = ({ offer, page }: BuyDialogProps): string =>
  `${page.plan?.state === 'active' ? 'Change to' : 'Buy'} ${offer.title}?`

const useBuy = ({ offer, page, account }: BuyDialogProps) =>
  useAction({
    work: () =>
      send(
        api.plan.buy.post({
          account,
          plan: offer.plan,
          quote: { priced_at_ms: page.priced_at_ms, due_nanos: offer.due_nanos },
        }),
      ),
    changes: ['plan', 'plans', 'overview', 'account', 'entries', 'start'],
    done: (_, { changes_at_ms }) => ({
      text: changes_at_ms === null ? `${offer.title} has started` : `${offer.title} starts after this month`,
    }),
  })

/** A change at the end of the month, which costs nothing now. */
function LaterChange(props: BuyDialogProps) {
  const buy = useBuy(props)
  return (
    <ConfirmDialog
      open
      onClose={props.onClose}
      title={titleOf(props)}
      consequence={<LaterConsequence {...props} />}
      verb={`Change to ${props.offer.title}`}
      look="primary"
      confirm={() => buy.runOrThrow(undefined)}
    />
  )
}

type DueNow = BuyDialogProps & { due_nanos: number; prices: readonly Price[] }

function Pay(props: DueNow) {
  const { page, due_nanos, prices, onClose } = props
  const is_enough = due_nanos <= page.available_nanos
  const [chosen, choose] = useState(is_enough || !prices[0] ? BALANCE : nameOf(prices[0]))
  const buy = useBuy(props)
  const pay = useOrder(props)
  const price = prices.find((price) => nameOf(price) === chosen)
  if (!is_enough && prices.length === 0) return <NotEnough {...props} />
  const options = [
    ...(is_enough ? [{ value: BALANCE, label: 'Your balance' }] : []),
    ...prices.map((price) => ({
      value: nameOf(price),
      label: `${price.method_title}: ${price.amount} ${price.currency}`,
    })),
  ]
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={titleOf(props)}
      consequence={
        <div className="stack">
          <Sums {...props} />
          {prices.length > 0 && (
            <Field label="Pay with" name="method">
              <Select options={options} value={chosen} onChange={choose} />
            </Field>
          )}
          {price?.is_test && <Notice tone="warn">Test mode: no money moves.</Notice>}
          <Consequence {...props} price={price} />
        </div>
      }
      verb={price ? `Pay ${price.amount} ${price.currency}` : `Pay ${exactUsd(due_nanos)} USD`}
      look="primary"
      confirm={() => (price ? pay(price) : buy.runOrThrow(undefined))}
    />
  )
}

function useOrder({ offer, page }: BuyDialogProps) {
  const [, go] = useLocation()
  const { keyOf, forget } = useRequestKey()
  const { runOrThrow } = useAction({
    work: ({ method, currency }: Price) => {
      const wanted = {
        ...{ plan: offer.plan, method, currency },
        quote: { priced_at_ms: page.priced_at_ms, due_nanos: offer.due_nanos },
      }
      const headers = { 'idempotency-key': keyOf(JSON.stringify(wanted)) }
      return send(api['plan-orders'].post(wanted, { headers }))
    },
    changes: ['orders', 'plan', 'plans', 'plan-renewal'],
  })
  return async (price: Price) => {
    const { order, go_to, problem } = await runOrThrow(price)
    forget()
    if (go_to !== null) location.assign(go_to)
    else {
      if (problem !== null) toast({ tone: 'bad', text: problem, subject: 'orders' })
      go(`/orders/${order.id}`)
    }
  }
}

function Consequence({ offer, page, due_nanos, price }: DueNow & { price: Price | undefined }) {
  const credited_nanos = offer.price_nanos - due_nanos
  const standing = standingOf(offer, page.plan)
  const when = price ? 'once it is paid' : 'at once'
  return (
    <p>
      {standing === 'renewal'
        ? `The next month of ${offer.title} is paid, and its limits go on.`
        : `${offer.title} begins ${when} and lasts a month.`}
      {credited_nanos > 0 && page.plan && ` Your use of ${page.plan.title} counts toward its limits.`}
      {price &&
        price.rest_nanos >= A_CENT_NANOS &&
        ` ${exactUsd(price.rest_nanos)} USD of the payment is left on your balance.`}{' '}
      It renews each month for {exactUsd(offer.price_nanos)} USD from the balance until you cancel it.
    </p>
  )
}

const Sums = ({ offer, page, due_nanos }: Pick<DueNow, 'offer' | 'page' | 'due_nanos'>) => (
  <Facts
    facts={[
      ['Price of a month', `${exactUsd(offer.price_nanos)} USD`],
      [
        'Credited',
        offer.price_nanos > due_nanos &&
          page.plan &&
          `${exactUsd(offer.price_nanos - due_nanos)} USD for the rest of ${page.plan.title}`,
      ],
      ['Paid now', <b key="due">{exactUsd(due_nanos)} USD</b>],
      ['Available balance', `${balanceUsd(page.available_nanos)} USD`],
    ]}
  />
)

const LaterConsequence = ({ offer, page: { plan } }: BuyDialogProps) => (
  <p>
    You pay nothing now. {offer.title} begins when the month of {plan?.title} is over, on{' '}
    <Time at_ms={plan?.ends_at_ms ?? null} exact />, for {exactUsd(offer.price_nanos)} USD a month from the
    balance. Until then you have {plan?.title}.
  </p>
)

function NotEnough({ offer, page, account, due_nanos, onClose }: DueNow) {
  // A link instead of an import from the payments plugin, which imports the revenue of plans from here.
  const can_add = useFeature('payments') && account === undefined
  return (
    <Dialog open onClose={onClose} title="Not enough balance">
      <Sums {...{ offer, page, due_nanos }} />
      <Notice tone="warn">
        {offer.title} costs {exactUsd(due_nanos - page.available_nanos)} USD more than the available balance.{' '}
        {account !== undefined
          ? 'Top up the account first.'
          : can_add
            ? 'Add funds, then buy it.'
            : 'Ask the operator of this gateway to top up your account.'}
      </Notice>
      <DialogActions>
        <Button onClick={onClose}>Close</Button>
        {can_add && (
          <ButtonLink look="primary" icon={Plus} href="/add-funds" right="pay">
            Add funds
          </ButtonLink>
        )}
      </DialogActions>
    </Dialog>
  )
}
