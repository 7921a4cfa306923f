// The unsubscribe link in notices: a page with a button, and the POST of that button or of a mail program's one click (RFC 8058).
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { openCalls } from '../../src/app/surface/calls.ts'
import type { Gateway } from '../../src/app/surface/gateway.ts'
import { plainError } from '../../src/http/plain-error.ts'
import { Closed } from '../../src/http/schema.ts'
import { brandOf } from './brand.ts'
import { UNSUBSCRIBE_PATH } from './message.ts'
import { setSubscription, subscriptionByToken } from './store.ts'
import { pageOf } from './unsubscribe-page.ts'

const SURFACE = { surface: 'mail', forms: [], render: plainError }

const LinkQuery = Closed({
  token: Type.String({ minLength: 1, maxLength: 64, must: 'the token of the link' }),
  /** From the page's button to subscribe again. */
  again: Type.Optional(Type.Literal('yes')),
})

/** `GET /mail/unsubscribe` only shows the page, since scanners open links. `POST` unsubscribes, or with `again=yes` subscribes again. */
export function unsubscribeRoutes(gateway: Pick<Gateway, 'calls' | 'requests' | 'db'>) {
  const { db } = gateway
  const { catalogue, now } = gateway.calls
  // Not in the API reference: these are pages for people. The body is ignored: it is `List-Unsubscribe=One-Click`, or an empty form.
  const route = { query: LinkQuery, parse: 'none', detail: { hide: true } } as const
  const page = async (token: string, is_renewed: boolean) =>
    pageOf({ token, subscription: await subscriptionByToken(db, token), is_renewed }, brandOf(catalogue()))
  return new Elysia({ name: 'mail' })
    .use(openCalls(gateway, SURFACE))
    .get(UNSUBSCRIBE_PATH, ({ query: { token } }) => page(token, false), route)
    .post(
      UNSUBSCRIBE_PATH,
      async ({ query: { token, again } }) => {
        await setSubscription(db, token, again === 'yes' ? null : now())
        return await page(token, again === 'yes')
      },
      route,
    )
}
