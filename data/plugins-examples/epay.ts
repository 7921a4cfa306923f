// EPay, also sold as "YiPay" (易支付): payments by Alipay, WeChat Pay and the like through a reseller. A complete payment method.
//
// A notice of EPay is only a hint: this file checks its signature, and the gateway then asks EPay, over https and with the merchant's key, what
// has become of the order. EPay's version 1 gives no refund that could be asked for twice safely, so there is none here: send the money back
// at EPay, and take it from the balance with `tollgate debit`.
import { createHash, timingSafeEqual } from 'node:crypto'
import type { Payment, PaymentOrder, PaymentProvider, PluginDefinition } from './tollgate.d.ts'

interface Settings {
  /** The address of EPay: https://pay.example.com/ */
  url: string
  /** The merchant's number and key. */
  pid: string
  key: string
  /** alipay, wxpay, qqpay …; empty: people choose on EPay's page. */
  type: string
  title: string
}

type Fields = Readonly<Record<string, string>>

const CURRENCY = 'CNY'
const TIMEOUT_MS = 10_000

/** All fields that are set, by their names, and the key behind them. */
function signatureOf(fields: Fields, key: string): string {
  const signed = Object.entries(fields)
    .filter(([name, value]) => value !== '' && name !== 'sign' && name !== 'sign_type')
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join('&')
  return createHash('md5').update(signed + key).digest('hex')
}

function isSigned({ sign = '', ...fields }: Fields, key: string): boolean {
  const [received, expected] = [Buffer.from(sign), Buffer.from(signatureOf(fields, key))]
  return received.length === expected.length && timingSafeEqual(received, expected)
}

/** `25.00`. Amounts are whole numbers here; a fraction of a fen is none. */
const moneyOf = (amount_minor: number): string =>
  `${Math.floor(amount_minor / 100)}.${String(amount_minor % 100).padStart(2, '0')}`

function minorOf(money: unknown): number {
  const [, yuan, fen = ''] = /^(\d{1,9})(?:\.(\d{1,2}))?$/.exec(String(money)) ?? []
  if (yuan === undefined) throw new Error(`EPay says an amount that is none: ${money}`)
  return Number(yuan) * 100 + Number(fen.padEnd(2, '0'))
}

/** Names this order alone: another database, whose orders begin at 1 again, expires at another time. */
const referenceOf = ({ id, expires_at_ms }: PaymentOrder): string => `TG${id}T${expires_at_ms}`

async function look(settings: Settings, reference: string, order: PaymentOrder): Promise<Payment> {
  const { url, pid, key } = settings
  const address = new URL('api.php', url)
  address.search = new URLSearchParams({ act: 'order', pid, key, out_trade_no: reference }).toString()
  const response = await fetch(address, { redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) })
  if (!response.ok) throw new Error(`EPay answered ${response.status}`)
  const answer = (await response.json()) as Record<string, unknown>
  // Only code 1 says that the rest is about an order. An answer that failed may have "status": 1 in it all the same.
  if (String(answer.code) !== '1') {
    if (!isUnknown(answer)) throw new Error(`EPay could not say: ${answer.msg ?? answer.code}`)
    // EPay has the order once its page was opened.
    return { state: 'open', currency: CURRENCY, amount_minor: order.amount_minor, order_id: order.id }
  }
  if (answer.out_trade_no !== reference || String(answer.pid ?? pid) !== pid)
    throw new Error(`EPay answered for another order: ${answer.out_trade_no}`)
  return {
    state: stateOf(answer.status, order),
    currency: CURRENCY,
    amount_minor: minorOf(answer.money),
    order_id: order.id,
    payment_reference: String(answer.trade_no ?? '') || undefined,
  }
}

const isUnknown = ({ msg }: Record<string, unknown>): boolean => /不存在|not (found|exist)/i.test(String(msg ?? ''))

/** 0: not paid yet; 1: paid; 2: given back; others, such as 3: EPay keeps the money back. */
function stateOf(status: unknown, { payment_reference }: PaymentOrder): Payment['state'] {
  if (String(status) === '0') return 'open'
  if (String(status) === '1') return 'paid'
  // One that was credited before stays what it was, and is debited by hand.
  if (String(status) === '2') return payment_reference === null ? 'failed' : 'paid'
  return 'pending'
}

function epay(settings: () => Settings): PaymentProvider {
  return {
    name: 'epay',
    title: settings().title,
    currencies: [CURRENCY],
    limits: { [CURRENCY]: { min_minor: 100, max_minor: 5_000_000 } },
    async start(order) {
      const { url, pid, key, type } = settings()
      const fields: Fields = {
        pid,
        type,
        out_trade_no: referenceOf(order),
        notify_url: order.webhook_url,
        return_url: order.return_url,
        name: order.description,
        money: moneyOf(order.amount_minor),
      }
      const page = new URL('submit.php', url)
      const set = Object.entries(fields).filter(([, value]) => value !== '')
      page.search = new URLSearchParams([...set, ['sign', signatureOf(fields, key)], ['sign_type', 'MD5']]).toString()
      return { reference: referenceOf(order), go_to: page.href }
    },
    look: (reference, order) => look(settings(), reference, order),
    async hook(request) {
      // By GET; some send the same as a form.
      const text = request.method === 'GET' ? new URL(request.url).search : await request.text()
      const fields = Object.fromEntries(new URLSearchParams(text))
      const { pid, key } = settings()
      if (!isSigned(fields, key) || fields.pid !== pid) throw new Error('the signature is wrong')
      const { out_trade_no: reference } = fields
      return reference ? { reference, answer: 'success' } : undefined
    },
  }
}

const plugin: PluginDefinition<() => Settings, Settings> = {
  settings: (t) =>
    t.Object({
      url: t.String({ pattern: '^https://|^http://127\\.0\\.0\\.1:', description: 'the address of EPay, with a slash at its end' }),
      pid: t.String({ minLength: 1, description: "the merchant's number" }),
      key: t.String({ minLength: 16, description: 'the merchant\'s key, or "env:NAME"' }),
      type: t.String({ default: '', description: 'alipay, wxpay …; empty: people choose at EPay' }),
      title: t.String({ default: 'Alipay, WeChat Pay', minLength: 1, description: 'name of the payment method on pages' }),
    }),
  open: (_, settings) => settings,
  payments: (settings) => [epay(settings)],
}

export default plugin
