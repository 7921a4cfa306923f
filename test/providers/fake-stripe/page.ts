// The payment page of the fake Stripe, on which a person pays or saves a card.
import type { StripeObject } from './state.ts'

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')

export function payPage(
  { mode, amount_total, currency, cancel_url, status }: StripeObject,
  error?: string,
): Response {
  const action =
    mode === 'setup' ? 'Save card' : `Pay ${Number(amount_total) / 100} ${String(currency).toUpperCase()}`
  const body =
    status === 'open'
      ? `<form method="post">
      <label>Pay by <select name="means">
        <option value="card">Card 4242</option><option value="card_asking">Card that asks</option>
        <option value="card_declined">Declined card</option><option value="sepa_debit">SEPA Direct Debit</option>
      </select></label>
      <button>${escaped(action)}</button> <a href="${escaped(String(cancel_url))}">Back</a></form>`
      : '<p>This page is closed.</p>'
  return new Response(
    `<!doctype html><html lang="en"><title>Stripe (fake)</title><h1>${escaped(action)}</h1>${error === undefined ? '' : `<p role="alert">${escaped(error)}</p>`}${body}</html>`,
    { headers: { 'content-type': 'text/html; charset=utf-8' }, status: error === undefined ? 200 : 402 },
  )
}
