// The console of a real gateway in a real browser, signed in as its operator, as an account, or by a key.
import { afterAll } from 'bun:test'
import { accountByName } from '../../src/access/accounts.ts'
import { createPasswords, setPassword } from '../../src/access/passwords.ts'
import { FIRST_CATALOGUE } from '../../src/catalogue/first.ts'
import type { Db } from '../../src/store/db.ts'
import { type ConsolePage, consolePage, type PageOptions } from './console-page.ts'
import { consoleAddress } from './console-port.ts'
import { type ConsoleUser, signedIn } from './console-session.ts'
import { startTestGateway, type TestGateway, type TestGatewayOptions } from './gateway.ts'
import { personAtConsole } from './people.ts'

/** The operator's password, and that of every account that has one. */
export const PASSWORD = 'one gate, many tolls'

interface ConsoleScene extends AsyncDisposable {
  gateway: TestGateway
  /** Opens a page in a new context, without an address yet; signed in if `as` is present. The scene's end closes it, too. */
  visit(as?: ConsoleUser, options?: PageOptions): Promise<ConsolePage>
}

interface FileConsole extends ConsoleScene {
  /**
   * Shows an address to a viewer: on the page of the last call if it had the same viewer and options, by a navigation without a
   * reload; else on a new page. It is closed by the next visit, by a call for another viewer, or after the file.
   */
  at(as: ConsoleUser, address: string, options?: PageOptions): Promise<ConsolePage>
}

/** A gateway with the first catalogue, whose models are simulated, and an operator with a password. */
async function consoleScene(options: TestGatewayOptions = {}): Promise<ConsoleScene> {
  const gateway = await startTestGateway({ catalogue: FIRST_CATALOGUE, listen: consoleAddress(), ...options })
  await givePasswords(gateway, [])
  const pages: ConsolePage[] = []
  return {
    gateway,
    async visit(as, page_options) {
      const page = await pageOf(gateway, as, page_options)
      pages.push(page)
      return page
    },
    async [Symbol.asyncDispose]() {
      // While the gateway serves: a page that cannot load its parking address is not used again.
      for (const page of pages) await page[Symbol.asyncDispose]()
      await gateway.stop()
    },
  }
}

/** Opens a scene that all tests of a file share, and closes it after the last one. */
export async function fileConsole(options: TestGatewayOptions = {}): Promise<FileConsole> {
  const shared = await consoleScene(options)
  const { at, close } = sharedPage(shared.visit)
  afterAll(async () => {
    await close()
    await shared[Symbol.asyncDispose]()
  })
  const visit: ConsoleScene['visit'] = async (as, page_options) => {
    await close()
    return await shared.visit(as, page_options)
  }
  return { ...shared, visit, at }
}

/** One page at a time, kept between the tests of the same viewer. */
function sharedPage(visit: ConsoleScene['visit']) {
  let current: { viewer: string; one: ConsolePage } | undefined
  const close = async () => {
    await current?.one[Symbol.asyncDispose]()
    current = undefined
  }
  const at: FileConsole['at'] = async (as, address, options = {}) => {
    const viewer = JSON.stringify([as, options])
    if (current?.viewer === viewer && (await current.one.begin())) {
      await current.one.go(address)
      return current.one
    }
    await close()
    const one = await visit(as, options)
    current = { viewer, one }
    await one.open(address)
    return one
  }
  return { at, close }
}

/** Gives the operator and these accounts their password. */
export async function givePasswords({ store }: { store: Db }, accounts: readonly string[]): Promise<void> {
  const hash = await createPasswords().hash(PASSWORD)
  const owners = await Promise.all(accounts.map((name) => accountByName(store, name)))
  for (const account_id of [null, ...owners.map(({ id }) => id)])
    await setPassword(store, {
      person_id: await personAtConsole(store, account_id),
      hash,
      now_ms: Date.now(),
    })
}

/** Opens a signed-in page without the sign-in form and its limits. */
export async function pageOf(
  gateway: Pick<TestGateway, 'store' | 'url'>,
  as: ConsoleUser | undefined,
  options?: PageOptions,
): Promise<ConsolePage> {
  const { origin } = gateway.url
  const visit = await consolePage(origin, options)
  if (as === undefined) return visit
  const [name = '', value = ''] = (await signedIn(gateway, as)).cookie.split('=')
  await visit.context.addCookies([
    { name, value, url: origin.replace('http:', 'https:'), httpOnly: true, sameSite: 'Strict' },
  ])
  return visit
}
