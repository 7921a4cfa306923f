// A request of a page, held back so that the page is seen without the answer.
import type { Route } from 'playwright-core'
import type { ConsolePage } from '../support/console-page.ts'

/** Holds the answer of a request back, until it is let through. */
export async function holdBack({ page }: ConsolePage, request: RegExp) {
  const requested = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const hold = async (route: Route) => {
    requested.resolve()
    await released.promise
    await route.continue()
  }
  await page.route(request, hold, { times: 1 })
  return { requested: requested.promise, release: released.resolve }
}
