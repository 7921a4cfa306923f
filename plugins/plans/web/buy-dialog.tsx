// The dialog before a plan is bought or changed: what is paid now, what is credited, and what comes after. Without enough balance, the way to add funds.
import { Plus } from 'lucide-react'
import { api, send } from '../../console/web/app/client.ts'
import { useFeature } from '../../console/web/app/session.tsx'
import { useAction } from '../../console/web/parts/action.ts'
import { balanceUsd, exactUsd } from '../../console/web/parts/amounts.ts'
import { Button, ButtonLink } from '../../console/web/parts/button.tsx'
import { ConfirmDialog, Dialog, DialogActions } from '../../console/web/parts/dialog.tsx'
import { Facts } from '../../console/web/parts/facts.tsx'
import { Notice } from '../../console/web/parts/notice.tsx'
import { Time } from '../../console/web/parts/time.tsx'
import { type Offer, type PlanPage, standingOf } from './words.ts'

interface BuyDialogProps {
  offer: Offer
  /** As it was when the plan was chosen: the prices hold for ten minutes. */
  page: PlanPage
  account: string | undefined
  onClose: () => void
}

export function BuyDialog(props: BuyDialogProps) {
  const { offer, page, account, onClose } = props
  const { due_nanos } = offer
  const buy = useAction({
    work: () =>
      send(
        api.plan.buy.post({
          account,
          plan: offer.plan,
          quote: { priced_at_ms: page.priced_at_ms, due_nanos },
        }),
      ),
    changes: ['plan', 'plans', 'overview', 'account', 'entries', 'start'],
    done: (_, { changes_at_ms }) => ({
      text: changes_at_ms === null ? `${offer.title} has begun` : `${offer.title} begins with the next month`,
    }),
  })
  if (due_nanos !== null && due_nanos > page.available_nanos)
    return <NotEnough {...props} due_nanos={due_nanos} />
  const is_change = page.plan?.state === 'active'
  const verb = due_nanos === null ? `Change to ${offer.title}` : `Pay ${exactUsd(due_nanos)} USD`
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={`${is_change ? 'Change to' : 'Buy'} ${offer.title}?`}
      consequence={due_nanos === null ? <Later {...props} /> : <Now {...props} due_nanos={due_nanos} />}
      verb={verb}
      look="primary"
      confirm={() => buy.runOrThrow(undefined)}
    />
  )
}

type DueNow = BuyDialogProps & { due_nanos: number }

function Now({ offer, page, due_nanos }: DueNow) {
  const credited_nanos = offer.price_nanos - due_nanos
  const standing = standingOf(offer, page.plan)
  return (
    <div className="stack">
      <Sums {...{ offer, page, due_nanos }} />
      <p>
        {standing === 'renewal'
          ? `The next month of ${offer.title} is paid, and its limits go on.`
          : `${offer.title} begins at once, with a month of its own.`}
        {credited_nanos > 0 && page.plan && ` What you used of the limits of ${page.plan.title} counts on.`}{' '}
        It renews each month for {exactUsd(offer.price_nanos)} USD from the balance, until it is cancelled.
      </p>
    </div>
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

const Later = ({ offer, page: { plan } }: BuyDialogProps) => (
  <p>
    You pay nothing now. {offer.title} begins when the month of {plan?.title} is over, on{' '}
    <Time at_ms={plan?.ends_at_ms ?? null} exact />, for {exactUsd(offer.price_nanos)} USD a month from the
    balance. Until then you have {plan?.title}.
  </p>
)

function NotEnough({ offer, page, account, due_nanos, onClose }: DueNow) {
  // An address, not a part of the plugin of payments: its report has the revenue of plans.
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
