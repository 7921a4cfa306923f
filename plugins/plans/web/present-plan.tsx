// The current plan of an account: state, price, renewal and limits; buttons to cancel or keep it.
import { api, send } from '../../console/web/app/client.ts'
import { useAction } from '../../console/web/parts/action.ts'
import { exactUsd } from '../../console/web/parts/amounts.ts'
import { Button } from '../../console/web/parts/button.tsx'
import { ConfirmButton } from '../../console/web/parts/dialog-buttons.tsx'
import { Facts } from '../../console/web/parts/facts.tsx'
import { Money } from '../../console/web/parts/money.tsx'
import { Notice } from '../../console/web/parts/notice.tsx'
import { Section } from '../../console/web/parts/page.tsx'
import { Time } from '../../console/web/parts/time.tsx'
import { CommaList } from '../../console/web/parts/words.tsx'
import { LimitBars } from './limit-bars.tsx'
import { modelWords, overflowWords, type Plan, type PlanPage, titleOf } from './words.ts'

interface PresentPlanProps {
  plan: Plan
  page: PlanPage
  account: string | undefined
}

export function PresentPlan({ plan, page, account }: PresentPlanProps) {
  return (
    <Section title={plan.title} actions={<PlanActions plan={plan} account={account} />}>
      <div className="stack">
        <PlanNotice plan={plan} page={page} />
        <LimitBars plan={plan} />
        <Facts
          facts={[
            [
              'Price',
              <span key="price">
                <Money nanos={plan.price_nanos} /> a month
              </span>,
            ],
            [
              'Paid until',
              plan.state === 'active' && (
                <span key="until">
                  <Time at_ms={plan.ends_at_ms} exact />
                  {plan.renews && plan.next_plan === null && isOffered(plan.plan, page) && (
                    <span className="soft">
                      {' '}
                      · renews then for {exactUsd(priceOf(plan.plan, page))} USD from the balance
                      {plan.renews_by === 'card' && ', or from your saved card if the balance is too low'}
                    </span>
                  )}
                </span>
              ),
            ],
            ['Models', <CommaList key="models" words={modelWords(plan.models)} />],
            ['Calls beyond the plan', overflowWords(plan.overflow)],
            [
              'Concurrent requests',
              plan.concurrent_calls !== null && `${plan.concurrent_calls} covered by the plan`,
            ],
          ]}
        />
      </div>
    </Section>
  )
}

const isOffered = (name: string, { offered }: PlanPage): boolean => offered.some(({ plan }) => plan === name)

const priceOf = (name: string, { offered }: PlanPage): number =>
  offered.find(({ plan }) => plan === name)?.price_nanos ?? 0

/** Notice on the next month, unless the plan simply renews. */
function PlanNotice({ plan, page }: Omit<PresentPlanProps, 'account'>) {
  const { state, renews, next_plan, ends_at_ms, covers_until_at_ms } = plan
  const follows = next_plan ?? plan.plan
  if (state === 'unpaid')
    return (
      <Notice tone="bad">
        Unpaid since <Time at_ms={ends_at_ms} exact />: the balance was too low for the next month. Pay for it
        below, or add funds, by <Time at_ms={covers_until_at_ms} exact />. Otherwise the plan ends. Until then
        it covers calls within its remaining limits.
      </Notice>
    )
  if (!renews)
    return (
      <Notice tone="warn">
        Cancelled: ends on <Time at_ms={ends_at_ms} exact />. Calls are paid from the balance after that.
      </Notice>
    )
  if (!isOffered(follows, page))
    return (
      <Notice tone="warn">
        {titleOf(follows, page.offered)} is no longer offered: the plan ends on{' '}
        <Time at_ms={ends_at_ms} exact />.
      </Notice>
    )
  if (next_plan === null) return null
  return (
    <Notice>
      Changes to {titleOf(next_plan, page.offered)} on <Time at_ms={ends_at_ms} exact />, for{' '}
      {exactUsd(priceOf(next_plan, page))} USD a month.
    </Notice>
  )
}

function PlanActions({ plan, account }: Omit<PresentPlanProps, 'page'>) {
  const keep = useAction({
    work: () => send(api.plan.keep.post({ account })),
    changes: ['plan', 'plans'],
    done: () => ({ text: `${plan.title} is kept` }),
  })
  const is_paid = plan.state === 'active'
  return (
    <>
      {is_paid && (!plan.renews || plan.next_plan !== null) && (
        <Button right="buy" busy={keep.busy} onClick={() => keep.run(undefined)}>
          {`Keep ${plan.title}`}
        </Button>
      )}
      {plan.renews && (
        <ConfirmButton
          right="pay"
          title={`Cancel ${plan.title}?`}
          verb="Cancel plan"
          consequence={
            is_paid ? (
              <>
                {plan.title} covers calls until <Time at_ms={plan.ends_at_ms} exact />, then it ends. You get
                no refund, and pay nothing more. Until then, you can undo this.
              </>
            ) : (
              `${plan.title} ends now. Nothing more is paid for it. Calls are paid from the balance from now on.`
            )
          }
          work={() => send(api.plan.cancel.post({ account }))}
          changes={['plan', 'plans']}
          done={() => `${plan.title} is cancelled`}
        >
          Cancel plan
        </ConfirmButton>
      )}
    </>
  )
}
