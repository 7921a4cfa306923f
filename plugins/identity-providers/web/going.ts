// The way to a provider: the gateway says where, and the page goes there.
import { type AnswerOf, api, send } from '../../console/web/app/client.ts'
import { addressOf } from '../../console/web/app/place.ts'
import { rememberedReferral } from '../../sign-up/web/remembered.ts'

/** The page in view, below /console, to come back to. */
const pageHere = (): string => location.pathname.slice(addressOf('/console').length) + location.search || '/'

type Terms = AnswerOf<(typeof api)['identity-providers']['get']>['terms']

/** Leaves this page. @param terms that the page showed @throws ApiError */
export async function goToProvider(provider: string, terms: Terms): Promise<void> {
  const next = pageHere().startsWith('/sign-in/') ? '/' : pageHere()
  const { url } = await send(
    api['identity-providers'].start.post({ provider, next, terms, ...rememberedReferral() }),
  )
  location.assign(url)
}

/** The same to link one, or to confirm who is signed in. */
export async function goToLink(provider: string): Promise<void> {
  const { url } = await send(api.identities.start.post({ provider, purpose: 'link', next: '/settings' }))
  location.assign(url)
}

/** The channel by which tabs hear that somebody has confirmed who they are. */
export const CONFIRMED = 'tollgate-confirmed'

/**
 * Confirms in a tab of its own, since what is typed on this page would be lost. The tab opens at once, as browsers want it of a click, and gets
 * no hold of this page.
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

/** Signs out at the provider, too. */
export async function leaveProvider(): Promise<void> {
  const { url } = await send(api['identity-providers'].leave.post({}))
  if (url !== null) location.assign(url)
}
