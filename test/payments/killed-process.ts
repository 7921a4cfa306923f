// A gateway's process that handles one order, or the plans that are due, and is killed (SIGKILL) at a step. Arguments: database, provider's address,
// order, act, step, moment, time.
import type { PaymentParts } from '../../plugins/payments/parts.ts'
import { processOpenPeriods } from '../../plugins/payments/plans/renewing.ts'
import { refreshOrder } from '../../plugins/payments/refreshing.ts'
import { beginRefund, debitRefund, requestRefund } from '../../plugins/payments/refunding.ts'
import { renewPlans } from '../../plugins/plans/renewing.ts'
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
const is_renewing = act === 'renew'
const name = is_renewing ? 'card' : 'fake'
const provider: PaymentProvider = {
  name,
  title: name,
  currencies: ['EUR'],
  limits: { EUR: { min_minor: 1, max_minor: 1_000_000 } },
  start: (...args) => ask('start', args),
  look: (...args) => ask('look', args),
  refund: (...args) => ask('refund', args),
  ...(is_renewing && { chargeSaved: (...args) => ask('chargeSaved', args) }),
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
if (is_renewing) {
  const sections = new Map<string, unknown>([
    ['plans', await ask('plans', [])],
    ['mail', { sending: {} }],
  ])
  const catalogue = () => ({ sections })
  const { db, ledger } = dying.parts
  await renewPlans({ db, now: parts.now, catalogue, withdraw: ledger.submit.bind(ledger) as never })
  const settings = () => ({ rates: new Map([['EUR', 1_080_000_000]]), bonuses: [] }) as never
  await processOpenPeriods({ ...dying.parts, catalogue, settings })
} else if (act === 'look') await refreshOrder(dying.parts, order_id, cause)
else {
  const refund = await beginRefund(dying.parts, {
    order_id,
    amount_minor: 1_000,
    into_debt: false,
    reason: '',
  })
  await debitRefund(dying.parts, refund, cause)
  await requestRefund(dying.parts, refund.id, cause)
}
// It took fewer steps.
kill()
