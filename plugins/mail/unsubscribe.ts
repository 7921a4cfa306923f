// The link in notices: a page that asks, and the POST that unsubscribes, by a person or by their mail program in one click (RFC 8058).
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
  /** Of the button on the page after it. */
  again: Type.Optional(Type.Literal('yes')),
})

/** `GET /mail/unsubscribe`: changes nothing, since scanners open links. `POST`: unsubscribes, or with `again=yes` subscribes again. */
export function unsubscribeRoutes(gateway: Pick<Gateway, 'calls' | 'requests' | 'db'>) {
  const { db } = gateway
  const { catalogue, now } = gateway.calls
  // Pages for people: the API reference leaves them out. The body says nothing: `List-Unsubscribe=One-Click`, or that of a form.
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
