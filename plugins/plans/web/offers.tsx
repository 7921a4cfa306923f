// The offered plans with price, models, limits and a button to buy.
import { useState } from 'react'
import { useMay } from '../../console/web/app/session.tsx'
import { Button } from '../../console/web/parts/button.tsx'
import { Money } from '../../console/web/parts/money.tsx'
import { Status } from '../../console/web/parts/status.tsx'
import { CommaList } from '../../console/web/parts/words.tsx'
import { BuyDialog } from './buy-dialog.tsx'
import { limitWords, modelWords, type Offer, overflowWords, type PlanPage, standingOf } from './words.ts'

interface OffersProps {
  page: PlanPage
  account: string | undefined
}

interface Chosen {
  offer: Offer
  page: PlanPage
}

export function Offers({ page, account }: OffersProps) {
  const [chosen, setChosen] = useState<Chosen | null>(null)
  return (
    <>
      <ul className="plan-offers">
        {page.offered.map((offer) => (
          <OfferCard key={offer.plan} offer={offer} page={page} choose={() => setChosen({ offer, page })} />
        ))}
      </ul>
      {chosen && <BuyDialog {...chosen} account={account} onClose={() => setChosen(null)} />}
    </>
  )
}

function OfferCard({ offer, page, choose }: Chosen & { choose: () => void }) {
  const { title, description, price_nanos, limits, models, overflow, concurrent_calls } = offer
  return (
    <li aria-label={title}>
      <h3>{title}</h3>
      {description && <p className="soft">{description}</p>}
      <p>
        <b className="plan-price">
          <Money nanos={price_nanos} />
        </b>{' '}
        a month
      </p>
      <ul className="plan-terms">
        {limits.map((limit) => (
          <li key={limit.period}>{limitWords(limit)}</li>
        ))}
        <li>
          Models: <CommaList words={modelWords(models)} />
        </li>
        {concurrent_calls !== null && <li>{concurrent_calls} concurrent requests</li>}
        <li>Calls beyond the plan: {overflowWords(overflow).toLowerCase()}</li>
      </ul>
      <OfferAction offer={offer} page={page} choose={choose} />
    </li>
  )
}

function OfferAction({ offer, page, choose }: Chosen & { choose: () => void }) {
  const may_buy = useMay('buy')
  const standing = standingOf(offer, page.plan)
  if (standing === 'current') return <Status tone="good">Current plan</Status>
  if (standing === 'next') return <Status tone="busy">Begins with the next month</Status>
  if (!may_buy) return null
  const verb = { new: 'Buy', renewal: 'Pay for', dearer: 'Change to', later: 'Change to' }[standing]
  return (
    <div>
      <Button
        look={standing === 'later' ? 'plain' : 'primary'}
        onClick={choose}
      >{`${verb} ${offer.title}`}</Button>
    </div>
  )
}
