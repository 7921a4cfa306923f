// Console routes of orders: list, CSV, one order, and the operator's actions.
import { Elysia } from 'elysia'
import { requireFresh } from '../../../src/access/fresh-sign-in.ts'
import { consoleList } from '../../../src/app/list/pages.ts'
import {
  byOf,
  type ConsoleParts,
  FAILURES,
  operatorCalls,
  viewerCalls,
} from '../../../src/app/surface/console/calls.ts'
import type { Gateway } from '../../../src/app/surface/gateway.ts'
import { decimalMinor } from '../../../src/domain/currencies.ts'
import { checkNote } from '../../../src/domain/notes.ts'
import { money } from '../../../src/http/views.ts'
import { order_list } from '../list.ts'
import { markPaid } from '../manual/mark.ts'
import type { Payments } from '../payments.ts'
import { readAmount } from '../read-amount.ts'
import { previewRefund } from '../refund-preview.ts'
import { refundOrder } from '../refunding.ts'
import { type OrderViewParts, orderView, requireOrder } from './order-view.ts'
import { MarkBody, OrderParams, OrderView, RefundBody, RefundPreview, RefundQuery } from './views.ts'

const response = { 200: OrderView, ...FAILURES }

/** `GET /console/api/orders`, `/console/api/orders.csv` and `/console/api/orders/{id}`. An account sees its own orders. */
export function orderRoutes(gateway: ConsoleParts & OrderViewParts, payments: Payments) {
  const list = consoleList(gateway, order_list)
  return new Elysia({ name: 'console-orders' })
    .use(viewerCalls(gateway, { reads: 'see_payments' }))
    .get('/console/api/orders', ({ viewer, query }) => list.page(viewer, query), list.page_route)
    .get('/console/api/orders.csv', ({ viewer, query }) => list.file(viewer, query), list.file_route)
    .get('/console/api/orders/:id', ({ viewer, params }) => orderView(gateway, payments, viewer, params.id), {
      params: OrderParams,
      response,
    })
}

/**
 * `GET /console/api/orders/{id}/refund`: previews a refund. `POST` refunds, and `POST …/mark-paid` marks a bank transfer as arrived; both require
 * a recent sign-in of the operator.
 */
export const operatorRoutes = (gateway: ConsoleParts & Pick<Gateway, 'operations'>, payments: Payments) =>
  new Elysia({ name: 'console-orders-by-operators' })
    .use(operatorCalls(gateway))
    .post(
      '/console/api/orders/:id/mark-paid',
      async ({ viewer, origin, params: { id }, body: { amount, currency, reference } }) => {
        requireFresh(viewer, gateway.calls.now())
        await requireOrder(gateway, viewer, id)
        await markPaid(payments.parts, id, {
          ...{ currency, reference },
          amount_minor: readAmount({ amount, currency }),
          by: byOf(gateway, { viewer, origin }),
        })
        return await orderView(gateway, payments, viewer, id)
      },
      { params: OrderParams, body: MarkBody, response },
    )
    .get(
      '/console/api/orders/:id/refund',
      async ({ viewer, params: { id }, query: { amount, end_plan } }) => {
        const { currency } = await requireOrder(gateway, viewer, id)
        const amount_minor = amount === undefined ? null : readAmount({ amount, currency })
        const request = { order_id: id, amount_minor, end_plan: end_plan !== undefined }
        const preview = await previewRefund(payments.parts, request, gateway.operations.gifts)
        const { fee_minor } = preview
        return {
          ...money('debit', preview.debit_nanos),
          ...money('lacking', preview.lacking_nanos),
          ...money('balance', preview.balance_nanos),
          ...money('debt', preview.debt_nanos),
          fee: fee_minor === null ? null : decimalMinor(fee_minor, currency),
          ...money('gifts', preview.gifts_nanos),
        }
      },
      {
        params: OrderParams,
        query: RefundQuery,
        response: { 200: RefundPreview, ...FAILURES },
      },
    )
    .post(
      '/console/api/orders/:id/refund',
      async ({
        viewer,
        origin,
        params: { id },
        body: { amount, left, into_debt = false, reason, end_plan = false },
      }) => {
        requireFresh(viewer, gateway.calls.now())
        checkNote(reason, 'reason')
        const { currency } = await requireOrder(gateway, viewer, id)
        const minorOf = (text: string) => readAmount({ amount: text, currency })
        await refundOrder(
          payments.parts,
          {
            order_id: id,
            amount_minor: amount === undefined ? null : minorOf(amount),
            left_minor: left === undefined ? undefined : minorOf(left),
            ...{ into_debt, reason, end_plan },
          },
          { source: 'operator', by: byOf(gateway, { viewer, origin }) },
        )
        return await orderView(gateway, payments, viewer, id)
      },
      { params: OrderParams, body: RefundBody, response },
    )
