// The credit of a payment, as its payer sees it before they pay.
import { api } from '../../console/web/app/client.ts'
import { useApi } from '../../console/web/app/query.ts'

export interface Wanted {
  method: string
  currency: string
  amount: string
}

export const useOffer = (wanted: Wanted) =>
  useApi(['payment-offer', wanted], () => api['payment-offer'].get({ query: wanted }), {
    enabled: wanted.amount !== '' && wanted.method !== '',
  })

interface OfferProps {
  wanted: Wanted
  /** Such as "Each time you pay". */
  payer?: string
  /** The title of the payment method, where there is no choice of it. */
  method?: string | undefined
}

/** Of an amount that cannot be paid nothing is said before it is sent. */
export function Offer({ wanted, payer = 'You pay', method }: OfferProps) {
  const { data, error, isPlaceholderData } = useOffer(wanted)
  if (error || !data || wanted.amount === '') return <p className="soft">Enter an amount.</p>
  return (
    <p role="status" className={isPlaceholderData ? 'payments-offer stale' : 'payments-offer'}>
      {payer}{' '}
      <b>
        {data.amount} {data.currency}
      </b>{' '}
      and get <b>{data.credit_usd} USD</b>
      {data.bonus_nanos > 0 && `, with a bonus of ${data.bonus_usd} USD`}.
      {data.welcome_nanos > 0 && (
        <>
          {' '}
          Your first payment brings <b>{data.welcome_usd} USD</b> more.
        </>
      )}
      {method !== undefined && <span className="small soft payments-rate">Payment method: {method}.</span>}
      {data.currency !== 'USD' && (
        <span className="small soft payments-rate">
          1 {data.currency} gives {data.rate_usd} USD.
        </span>
      )}
    </p>
  )
}
