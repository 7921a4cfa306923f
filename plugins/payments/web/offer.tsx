// The credit of a payment, shown before paying.
import { api } from '../../console/web/app/client.ts'
import { useApi } from '../../console/web/app/query.ts'
import { withoutName } from '../../console/web/parts/form.tsx'

export interface WantedOffer {
  method: string
  currency: string
  amount: string
}

export const useOffer = (wanted: WantedOffer) =>
  useApi(['payment-offer', wanted], () => api['payment-offer'].get({ query: wanted }), {
    enabled: wanted.amount !== '' && wanted.method !== '',
  })

interface OfferProps {
  wanted: WantedOffer
  /** Beginning of the sentence, such as "Each time you pay". */
  payer?: string
  /** Title of the payment method, if the form has no choice of methods. */
  method?: string | undefined
}

/** For an invalid amount the server's advice, as text: as an error at the field only once the form is sent. */
export function Offer({ wanted, payer = 'You pay', method }: OfferProps) {
  const { data, error, isPlaceholderData } = useOffer(wanted)
  if (error || !data || wanted.amount === '')
    return <p className="soft">{error ? withoutName(error.message, 'amount') : 'Enter an amount.'}</p>
  return (
    <p role="status" className={isPlaceholderData ? 'payments-offer stale' : 'payments-offer'}>
      {payer}{' '}
      <b>
        {data.amount} {data.currency}
      </b>{' '}
      and get <b>{data.credit_usd} USD</b>
      {data.bonus_nanos > 0 && `, with a bonus of ${data.bonus_usd} USD`}
      {data.welcome_nanos > 0 && (
        <>
          , plus <b>{data.welcome_usd} USD</b> for your first payment
        </>
      )}
      .{method !== undefined && <span className="small soft payments-rate">Payment method: {method}.</span>}
      {data.currency !== 'USD' && (
        <span className="small soft payments-rate">
          1 {data.currency} gives {data.rate_usd} USD.
        </span>
      )}
    </p>
  )
}
