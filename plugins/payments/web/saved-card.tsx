// The saved card of an account on the page "Payments": view, add or replace on the payment method's page, and remove.
import { CreditCard } from 'lucide-react'
import { useEffect } from 'react'
import { type AnswerOf, api, send } from '../../console/web/app/client.ts'
import { useApi } from '../../console/web/app/query.ts'
import { useFeature } from '../../console/web/app/session.tsx'
import { toast } from '../../console/web/app/toasts.tsx'
import { useAction } from '../../console/web/parts/action.ts'
import { useAddressState } from '../../console/web/parts/address-state.ts'
import { Button } from '../../console/web/parts/button.tsx'
import { ConfirmButton } from '../../console/web/parts/dialog-buttons.tsx'
import { Notice } from '../../console/web/parts/notice.tsx'
import { Section } from '../../console/web/parts/page.tsx'
import { Loaded } from '../../console/web/parts/states.tsx'
import { Status } from '../../console/web/parts/status.tsx'
import { cardWords, expiryWords, isExpired } from './card-words.ts'

type CardAnswer = AnswerOf<(typeof api)['payment-card']['get']>
type Card = NonNullable<CardAnswer['card']>

const CARD = 'payment-card'
/** Polling interval until the payment method confirms a new card. */
const CONFIRMATION_POLL_MS = 4_000

export function SavedCard() {
  const is_offered = useFeature('saved_cards')
  return is_offered ? <CardSection /> : null
}

/** Result with which the payment method's page returned: `saved`, `cancelled` or empty. */
const useOutcome = () => useAddressState({ card: '' })

export function useCard(enabled: boolean) {
  const [{ card }] = useOutcome()
  return useApi([CARD], () => api['payment-card'].get(), {
    enabled,
    ...(card === 'saved' && { every_ms: CONFIRMATION_POLL_MS }),
  })
}

function CardSection() {
  const query = useCard(true)
  const [{ card: outcome }] = useOutcome()
  useResultToast(query.data)
  return (
    <Section title="Card on file" actions={query.data && <CardActions card={query.data.card} />}>
      {outcome === 'saved' && query.data?.is_awaited && (
        <Notice>Your card is being saved. This takes a moment.</Notice>
      )}
      <Loaded query={query} rows={1}>
        {({ card }) =>
          card ? (
            <CardLine card={card} />
          ) : (
            <p className="soft">No card is saved for automatic top-up or a plan.</p>
          )
        }
      </Loaded>
    </Section>
  )
}

function useResultToast(answer: CardAnswer | undefined): void {
  const [{ card: outcome }, change] = useOutcome()
  useEffect(() => {
    const is_known = outcome === 'cancelled' || (outcome === 'saved' && answer && !answer.is_awaited)
    if (!is_known) return
    const card = outcome === 'saved' ? answer?.card : null
    toast({ text: card ? `${cardWords(card)} saved` : 'No card was saved', subject: CARD })
    change({ card: '' })
  }, [outcome, answer, change])
}

function CardActions({ card }: Pick<CardAnswer, 'card'>) {
  const save = useAction({
    work: async () => {
      const { go_to } = await send(api['payment-card'].post({}))
      location.assign(go_to)
    },
    changes: [CARD],
  })
  const button = { right: 'pay', busy: save.busy, onClick: () => save.run(undefined) } as const
  if (!card)
    return (
      <Button icon={CreditCard} {...button}>
        Add card
      </Button>
    )
  return (
    <>
      <Button {...button}>Replace</Button>
      <ConfirmButton
        right="pay"
        title={`Remove ${cardWords(card)}?`}
        consequence="Automatic top-up ends, and a plan is renewed from the balance alone. You can still pay by hand."
        verb="Remove card"
        work={() => send(api['payment-card'].delete())}
        changes={[CARD, 'automatic-top-up', 'plan-renewal', 'plan']}
        done={() => `${cardWords(card)} removed`}
      >
        Remove
      </ConfirmButton>
    </>
  )
}

function CardLine({ card }: { card: Card }) {
  return (
    <p className="row">
      <CreditCard className="icon" aria-hidden />
      <b>{cardWords(card)}</b>
      {isExpired(card, new Date()) ? (
        <Status tone="bad">{`Expired ${expiryWords(card)}`}</Status>
      ) : (
        <span className="soft">Expires {expiryWords(card)}</span>
      )}
    </p>
  )
}
