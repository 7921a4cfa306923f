// A gateway's process that handles one order and is killed (SIGKILL) at a step. Arguments: database, provider's address, order, act, step, moment.
import { lookAt } from '../../plugins/payments/looking.ts'
import type { PaymentParts } from '../../plugins/payments/parts.ts'
import { askForRefund, beginRefund, debitRefund } from '../../plugins/payments/refunding.ts'
import type { PaymentProvider } from '../../src/payment-api.ts'
import { openAt } from './connections.ts'
import { mortal } from './mortal.ts'

const [address = '', provider_url = '', order = '', act = '', at = '', moment = '', now = ''] =
  process.argv.slice(2)

const ask = async (method: string, args: unknown[]) => {
  const answer = await fetch(provider_url, { method: 'POST', body: JSON.stringify([method, ...args]) })
  if (!answer.ok) throw new Error(await answer.text())
  return (await answer.json()) as never
}
const provider: PaymentProvider = {
  name: 'fake',
  title: 'fake',
  currencies: ['EUR'],
  limits: { EUR: { min_minor: 1, max_minor: 1_000_000 } },
  start: (...args) => ask('start', args),
  look: (...args) => ask('look', args),
  refund: (...args) => ask('refund', args),
}

const kill = () => process.kill(process.pid, 'SIGKILL')
const parts: PaymentParts = {
  ...(await openAt(address)),
  now: () => Number(now),
  log: { info: () => {}, warn: () => {}, error: () => {} },
  providers: () => [provider],
  publicUrl: () => 'https://gateway.example',
}
// Within a step: while its write, its movement or its request is under way.
const dying =
  moment === 'within'
    ? mortal(parts, undefined, kill, (count) => {
        if (count === Number(at)) setTimeout(kill, Math.random() * 4)
      })
    : mortal(parts, { at: Number(at), when: moment === 'before' ? 'before' : 'after' }, kill)

const order_id = Number(order)
const cause = { source: 'operator' } as const
if (act === 'look') await lookAt(dying.parts, order_id, cause)
else {
  const refund = await beginRefund(dying.parts, {
    order_id,
    amount_minor: 1_000,
    into_debt: false,
    reason: '',
  })
  await debitRefund(dying.parts, refund, cause)
  await askForRefund(dying.parts, refund.id, cause)
}
// It took fewer steps.
kill()
