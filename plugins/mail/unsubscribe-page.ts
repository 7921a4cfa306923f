// The page of the unsubscribe link in notices: one sentence and one button, without a script.
import type { Brand } from './purposes.ts'

const STYLE = `:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { max-width: 32rem; margin: 15vh auto 0; padding: 0 1rem; overflow-wrap: anywhere }
h1 { font-size: 1.25rem; line-height: 1.3 }
button { font: inherit; padding: 0.5rem 1rem }`

const STYLE_HASH = new Bun.CryptoHasher('sha256').update(STYLE).digest('base64')

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`,
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex',
}

interface Subscription {
  recipient: string
  unsubscribed_at_ms: number | null
}

interface LinkPage {
  token: string
  /** The link's subscription; undefined for an unknown token. */
  subscription: Subscription | undefined
  /** Whether the request has just renewed the subscription. */
  is_renewed: boolean
}

export function pageOf(
  { token, subscription, is_renewed }: LinkPage,
  { name }: Pick<Brand, 'name'>,
): Response {
  if (!subscription)
    return html(404, name, 'This link is not valid', 'It may be cut off. Open the link of the latest notice.')
  const recipient = Bun.escapeHTML(subscription.recipient)
  if (subscription.unsubscribed_at_ms !== null)
    return html(
      200,
      name,
      'You are unsubscribed',
      `${recipient} gets no more notices of balance, limits and keys.`,
      formTo(`?token=${encodeURIComponent(token)}&again=yes`, 'Subscribe again'),
    )
  return html(
    200,
    name,
    is_renewed ? 'You are subscribed again' : 'Unsubscribe from notices?',
    is_renewed
      ? `${recipient} gets notices of balance, limits and keys.`
      : `${recipient} will get no more notices of balance, limits and keys. Mails about sign-in and security go on.`,
    formTo(`?token=${encodeURIComponent(token)}`, 'Unsubscribe'),
  )
}

const formTo = (action: string, label: string): string =>
  `<form method="post" action="${Bun.escapeHTML(action)}"><button>${label}</button></form>`

const html = (status: number, brand: string, title: string, text: string, form = ''): Response =>
  new Response(
    `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · ${Bun.escapeHTML(brand)}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${title}</h1>
<p>${text}</p>
${form}
<p><small>${Bun.escapeHTML(brand)}</small></p>
</body>
</html>
`,
    { status, headers: HEADERS },
  )
