// A request of a page, held back so that the page is seen without the answer.
import type { Route } from 'playwright-core'
import type { ConsolePage } from '../support/console-page.ts'

/** Holds the answer of a request back, until it is let through. @param passing the number of equal requests before it, which pass */
export async function holdBack({ page }: ConsolePage, request: RegExp, passing = 0) {
  const requested = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  let left = passing
  const hold = async (route: Route) => {
    if (left-- > 0) return await route.continue()
    requested.resolve()
    await released.promise
    await route.continue()
  }
  await page.route(request, hold, { times: passing + 1 })
  return { requested: requested.promise, release: released.resolve }
}
