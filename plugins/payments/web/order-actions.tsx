// Actions of operators on an order: check it at its payment method, mark it as paid, refund it.
import { RefreshCw } from 'lucide-react'
import { api, pathPart, send } from '../../console/web/app/client.ts'
import { useMay } from '../../console/web/app/session.tsx'
import { useAction } from '../../console/web/parts/action.ts'
import { Button } from '../../console/web/parts/button.tsx'
import { DialogButton } from '../../console/web/parts/dialog-buttons.tsx'
import { MarkForm } from './mark-form.tsx'
import { CHANGES } from './order-form.ts'
import { RefundForm } from './refund-form.tsx'
import { type Order, STATES } from './words.ts'

export function OrderActions({ order }: { order: Order }) {
  const operates = useMay('operate')
  const look = useAction({
    work: () => send(api.orders({ id: pathPart(order.id) }).look.post()),
    changes: CHANGES,
    done: (_, { state, is_pending }) => ({
      text: `The payment method says: ${(is_pending ? 'waiting for the bank' : STATES[state].word).toLowerCase()}.`,
    }),
  })
  return (
    <>
      {order.can_check && (
        <Button icon={RefreshCw} right="operate" busy={look.busy} onClick={() => look.run(undefined)}>
          Check now
        </Button>
      )}
      {operates && order.can_refund && Number(order.left) > 0 && (
        <DialogButton
          title={`Refund order ${order.id}`}
          content={(close) => <RefundForm order={order} onClose={close} />}
        >
          Refund
        </DialogButton>
      )}
      {operates && order.can_mark_paid && (
        <DialogButton
          look="primary"
          title={`Mark order ${order.id} as paid`}
          content={(close) => <MarkForm order={order} onClose={close} />}
        >
          Mark as paid
        </DialogButton>
      )}
    </>
  )
}
