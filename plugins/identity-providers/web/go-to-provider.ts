// The way to a provider: the gateway returns the address, and the page goes there.
import { type AnswerOf, api, send } from '../../console/web/app/client.ts'
import { addressOf } from '../../console/web/app/gateway-address.ts'
import { rememberedReferral } from '../../sign-up/web/remembered.ts'

const thisPage = (): string => location.pathname.slice(addressOf('/console').length) + location.search || '/'

type Terms = AnswerOf<(typeof api)['identity-providers']['get']>['terms']

/** Leaves this page for the provider. @param terms that the page showed @throws ApiError */
export async function goToProvider(provider: string, terms: Terms): Promise<void> {
  const next = thisPage().startsWith('/sign-in/') ? '/' : thisPage()
  const { url } = await send(
    api['identity-providers'].start.post({ provider, next, terms, ...rememberedReferral() }),
  )
  location.assign(url)
}

export async function goToLink(provider: string): Promise<void> {
  const { url } = await send(api.identities.start.post({ provider, purpose: 'link', next: '/settings' }))
  location.assign(url)
}

/** The channel that tells other tabs that the person has confirmed their identity. */
export const CONFIRMED = 'tollgate-confirmed'

/**
 * Confirms in another tab, so that text typed on this page is kept. The tab opens at once, since browsers allow that only on a click; it has no
 * access to this page.
 */
export async function confirmInTab(provider: string): Promise<void> {
  const tab = open('about:blank', '_blank')
  if (tab) tab.opener = null
  try {
    const { url } = await send(api.identities.start.post({ provider, purpose: 'confirm', next: '/' }))
    if (tab) tab.location.href = url
    else throw new Error('Your browser did not open a tab. Allow it for this address.')
  } catch (thrown) {
    tab?.close()
    throw thrown
  }
}

/** Goes to the provider's sign-out page, if there is one. */
export async function leaveProvider(): Promise<void> {
  const { url } = await send(api['identity-providers'].leave.post({}))
  if (url !== null) location.assign(url)
}
