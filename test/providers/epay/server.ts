// A fake EPay, version 1, by its public documentation: payment pages, queries and notices, and typical faults of real servers.
import { createHash } from 'node:crypto'

export const EPAY_PID = '1001'
export const EPAY_KEY = 'merchant-key-of-epay-0001'

interface EpayOrder {
  out_trade_no: string
  trade_no: string
  type: string
  name: string
  money: string
  notify_url: string
  /** 0: not paid; 1: paid; 2: refunded; 3: frozen. */
  status: 0 | 1 | 2 | 3
}

type Fields = Record<string, string>

function epaySign(fields: Fields, key: string = EPAY_KEY): string {
  const names = Object.keys(fields).filter(
    (name) => fields[name] !== '' && name !== 'sign' && name !== 'sign_type',
  )
  const text = names
    .sort()
    .map((name) => `${name}=${fields[name]}`)
    .join('&')
  return createHash('md5')
    .update(text + key)
    .digest('hex')
}

interface FakeEpay extends AsyncDisposable {
  /** With a slash at its end. */
  url: string
  orders: Map<string, EpayOrder>
  /** The number of queries that it has answered. */
  queries: number
  /** The answer to queries instead of the regular one; undefined for the regular one. */
  answersQueriesWith: ((order: EpayOrder | undefined) => Response) | undefined
  /** A person opens the payment page. @returns its status */
  open(page: string): Promise<number>
  /** Marks the order as paid, without a notification. */
  pay(out_trade_no: string, money?: string): void
  /** The URL of an order's notice, as EPay calls it: signed after `changes` of its fields, and before `forged` ones. */
  notice(out_trade_no: string, changes?: Fields, forged?: Fields): string
}

export function startFakeEpay(): FakeEpay {
  const orders = new Map<string, EpayOrder>()
  const orderOf = (out_trade_no: string): EpayOrder => {
    const order = orders.get(out_trade_no)
    if (!order) throw new Error(`no order ${out_trade_no}`)
    return order
  }
  const submit = (fields: Fields): Response => {
    const {
      out_trade_no = '',
      type = '',
      name = '',
      money = '',
      notify_url = '',
      return_url = '',
      sign,
      sign_type,
    } = fields
    if (fields.pid !== EPAY_PID || sign_type !== 'MD5' || sign !== epaySign(fields))
      return Response.json({ code: -1, msg: '签名校验失败' }, { status: 400 })
    if (!out_trade_no || !name || !return_url || !/^https?:/.test(notify_url) || !/^\d+\.\d{2}$/.test(money))
      return Response.json({ code: -1, msg: '参数错误' }, { status: 400 })
    if (!orders.has(out_trade_no)) {
      const trade_no = `2026${String(orders.size + 1).padStart(15, '0')}`
      orders.set(out_trade_no, { out_trade_no, trade_no, type, name, money, notify_url, status: 0 })
    }
    return new Response('<title>Pay</title>', { headers: { 'content-type': 'text/html' } })
  }
  const query = ({ act, pid, key, out_trade_no = '' }: Fields): Response => {
    epay.queries += 1
    if (act !== 'order' || pid !== EPAY_PID || key !== EPAY_KEY)
      return Response.json({ code: -3, msg: '商户密钥错误' })
    const order = orders.get(out_trade_no)
    if (epay.answersQueriesWith) return epay.answersQueriesWith(order)
    if (!order) return Response.json({ code: -1, msg: '订单号不存在' })
    const { trade_no, type, name, money, status } = order
    return Response.json({
      ...{ code: 1, msg: '查询订单号成功！', trade_no, out_trade_no, type, pid: Number(EPAY_PID) },
      ...{ addtime: '2026-11-29 12:00:00', endtime: null, name, money, status, param: '', buyer: '' },
    })
  }
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch(request) {
      const { pathname, searchParams } = new URL(request.url)
      const fields: Fields = Object.fromEntries(searchParams)
      if (pathname === '/submit.php') return submit(fields)
      if (pathname === '/api.php') return query(fields)
      return new Response('not found', { status: 404 })
    },
  })
  const epay: FakeEpay = {
    url: server.url.href,
    orders,
    queries: 0,
    answersQueriesWith: undefined,
    open: async (page) => (await fetch(page)).status,
    pay(out_trade_no, money) {
      const order = orderOf(out_trade_no)
      order.status = 1
      if (money !== undefined) order.money = money
    },
    notice(out_trade_no, changes = {}, forged = {}) {
      const { trade_no, type, name, money, notify_url } = orderOf(out_trade_no)
      const fields: Fields = {
        ...{ pid: EPAY_PID, trade_no, out_trade_no, type, name, money, trade_status: 'TRADE_SUCCESS' },
        ...changes,
      }
      const signed = { ...fields, sign: epaySign(fields), sign_type: 'MD5', ...forged }
      return `${notify_url}?${new URLSearchParams(signed)}`
    },
    [Symbol.asyncDispose]: () => server.stop(true),
  }
  return epay
}
