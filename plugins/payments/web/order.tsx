// The page of an order: its state, refreshed until it is paid; a receipt to print; and details for the staff.
import { useQueryClient } from '@tanstack/react-query'
import { ExternalLink, Printer } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { Link } from 'wouter'
import { api, pathPart, send } from '../../console/web/app/client.ts'
import type { PageProps } from '../../console/web/app/page-entry.ts'
import { useApi } from '../../console/web/app/query.ts'
import { useMay, useViewer } from '../../console/web/app/session.tsx'
import { useAction } from '../../console/web/parts/action.ts'
import { Button, ButtonLink } from '../../console/web/parts/button.tsx'
import { Notice } from '../../console/web/parts/notice.tsx'
import { Page, Section } from '../../console/web/parts/page.tsx'
import { AwaitedPage } from '../../console/web/parts/states.tsx'
import { OrderActions } from './order-actions.tsx'
import { OrderFacts, OrderRefunds } from './order-facts.tsx'
import { OrderStatus } from './order-list.tsx'
import { useOwnAccount } from './own-account.ts'
import { TestMode } from './test-mode.tsx'
import { Timeline } from './timeline.tsx'
import { type Order, staffSentence, stateSentence } from './words.ts'

/** Interval of reads from the gateway, which are cheap. */
const READ_EVERY_MS = 4_000
/** Interval at which the page has the gateway ask the payment method. The gateway's poller asks, too. */
const REFRESH_EVERY_MS = 10_000

export default function OrderPage({ params: { order: id = '' } }: PageProps) {
  const order = useApi(['orders', 'one', id], () => api.orders({ id: pathPart(id) }).get(), {
    every_ms: READ_EVERY_MS,
    is_of_one: true,
  })
  useRefresh(order.data)
  if (!order.data) return <AwaitedPage title="Order" query={order} />
  return <LoadedOrder order={order.data} />
}

/** Refreshes an open order at once, for a payer who returns from paying, and then repeatedly. */
function useRefresh(order: Order | undefined): void {
  const queries = useQueryClient()
  const { side } = useViewer()
  const may_pay = useMay('pay')
  const id = order?.id
  const is_waiting = order?.state === 'open' && side === 'account' && may_pay
  const was_waiting = useRef(false)
  useEffect(() => {
    if (id === undefined || !is_waiting) return
    const refresh = () => {
      send(api.orders({ id: pathPart(id) }).look.post())
        .then((refreshed) => queries.setQueryData(['orders', 'one', String(id)], refreshed))
        // Dropped: the page keeps reading the state from the gateway, whose poller asks the payment method.
        .catch(() => {})
    }
    refresh()
    const timer = setInterval(refresh, REFRESH_EVERY_MS)
    return () => clearInterval(timer)
  }, [id, is_waiting, queries])
  useEffect(() => {
    if (was_waiting.current && !is_waiting)
      for (const changed of ['entries', 'overview', 'account', 'start', 'plan', 'plans'])
        void queries.invalidateQueries({ queryKey: [changed] })
    was_waiting.current = is_waiting
  }, [is_waiting, queries])
}

function LoadedOrder({ order }: { order: Order }) {
  const { side } = useViewer()
  const is_staff = side === 'operator'
  return (
    <Page
      title={`Order ${order.id}`}
      lead={is_staff ? staffSentence(order) : <span role="status">{stateSentence(order)}</span>}
      width="text"
      actions={
        <>
          {order.receipt_url !== null && (
            <a className="button" href={order.receipt_url} target="_blank" rel="noreferrer">
              <ExternalLink className="icon" aria-hidden />
              Receipt
            </a>
          )}
          {order.paid_at_ms !== null && (
            <Button icon={Printer} onClick={() => print()}>
              Print
            </Button>
          )}
          {is_staff ? <OrderActions order={order} /> : <PayerActions order={order} />}
        </>
      }
    >
      <TestMode is_test={order.is_test} />
      <div className="row">
        <OrderStatus {...order} />
      </div>
      {order.attention != null && (
        <Notice tone="warn">
          <p>
            <b>{order.attention}</b>
          </p>
          <p>{order.advice}</p>
        </Notice>
      )}
      {order.instructions !== null && !is_staff && (
        <Section title="How to pay">
          <p className="payments-instructions">{order.instructions}</p>
        </Section>
      )}
      <OrderFacts order={order} />
      <OrderRefunds order={order} />
      <Section title="History">
        <Timeline order={order} />
      </Section>
      {!is_staff && <NextSteps is_paid={order.paid_at_ms !== null} is_of_plan={order.plan !== null} />}
    </Page>
  )
}

/** Links to the payer's next steps; before the first call, to "Get started". */
function NextSteps({ is_paid, is_of_plan }: { is_paid: boolean; is_of_plan: boolean }) {
  const { data } = useOwnAccount(is_paid)
  return (
    <div className="row payments-back">
      {is_paid && data?.due && (
        <ButtonLink look="primary" href="/start">
          Make your first call
        </ButtonLink>
      )}
      {is_of_plan && <Link href="/plan">Your plan</Link>}
      <Link href="/payments">All orders</Link>
    </div>
  )
}

function PayerActions({ order }: { order: Order }) {
  const of_order = api.orders({ id: pathPart(order.id) })
  const pay = useAction({
    work: async () => {
      const { go_to } = await send(of_order.pay.post())
      if (go_to !== null) location.assign(go_to)
    },
    changes: ['orders'],
  })
  const cancel = useAction({
    work: () => send(of_order.cancel.post()),
    changes: ['orders'],
    done: () => ({ text: `Order ${order.id} cancelled` }),
  })
  return (
    <>
      {order.can_cancel && (
        <Button right="pay" busy={cancel.busy} onClick={() => cancel.run(undefined)}>
          Cancel order
        </Button>
      )}
      {order.can_pay && order.instructions === null && (
        <Button look="primary" right="pay" busy={pay.busy} onClick={() => pay.run(undefined)}>
          {`Pay ${order.amount} ${order.currency}`}
        </Button>
      )}
    </>
  )
}
