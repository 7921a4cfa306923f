// The console of a real gateway in a real browser, signed in as its operator, as an account, or by a key.
import type { Database } from 'bun:sqlite'
import { afterAll } from 'bun:test'
import { accountByName } from '../../src/access/accounts.ts'
import { createPasswords, setPassword } from '../../src/access/passwords.ts'
import { FIRST_CATALOGUE } from '../../src/config/first.ts'
import { type ConsolePage, consolePage, type PageOptions } from './console-page.ts'
import type { Who } from './console-session.ts'
import { startTestGateway, type TestGateway, type TestGatewayOptions } from './gateway.ts'

/** The operator's password, and that of every account that has one. */
export const PASSWORD = 'one gate, many tolls'

export interface ConsoleScene extends AsyncDisposable {
  gateway: TestGateway
  /** A page of its own in a context of its own, signed in, at no address yet. Nobody is signed in where `as` is left out. */
  visit(as?: Who, options?: PageOptions): Promise<ConsolePage>
}

/** A gateway with the first catalogue, whose models are simulated, and an operator with a password. */
export async function consoleScene(options: TestGatewayOptions = {}): Promise<ConsoleScene> {
  const gateway = await startTestGateway({ catalogue: FIRST_CATALOGUE, ...options })
  await givePasswords(gateway, [])
  return {
    gateway,
    visit: (as, page_options) => pageOf(gateway, as, page_options),
    [Symbol.asyncDispose]: () => gateway.stop(),
  }
}

/** A scene that all tests of a file share: it is closed after the last of them. */
export async function fileConsole(options: TestGatewayOptions = {}): Promise<ConsoleScene> {
  const shared = await consoleScene(options)
  afterAll(() => shared[Symbol.asyncDispose]())
  return shared
}

let hashed: Promise<string> | undefined

/** Gives the operator and these accounts their password. */
export async function givePasswords({ db }: { db: Database }, accounts: readonly string[]): Promise<void> {
  hashed ??= createPasswords().hash(PASSWORD)
  const hash = await hashed
  const ids = accounts.map((name) => accountByName(db, name).id)
  for (const account_id of [null, ...ids]) setPassword(db, { account_id, hash, now_ms: Date.now() })
}

/** A page that is signed in as the console's own form does it. */
export async function pageOf(
  { url }: { url: URL },
  as: Who | undefined,
  options?: PageOptions,
): Promise<ConsolePage> {
  const visit = await consolePage(url.origin, options)
  if (as !== undefined) await signIn(visit, as)
  return visit
}

/** An empty page of this origin, without an icon for the browser to ask for: any page of the origin can sign in. */
const EMPTY = { path: '/console/nothing', contentType: 'text/html', body: '<link rel="icon" href="data:,">' }

async function signIn({ page }: ConsolePage, as: Who): Promise<void> {
  await page.route(`**${EMPTY.path}`, (route) =>
    route.fulfill({ contentType: EMPTY.contentType, body: EMPTY.body }),
  )
  await page.goto(EMPTY.path)
  const headers = { 'content-type': 'application/json' }
  const sent = { method: 'POST', headers, body: JSON.stringify(credentialsOf(as)) }
  const call = `fetch('/console/api/session', ${JSON.stringify(sent)})`
  const status = await page.evaluate<number>(`${call}.then((answer) => answer.status)`)
  if (status !== 200) throw new Error(`the sign-in as ${JSON.stringify(as)} was answered ${status}`)
}

function credentialsOf(as: Who): object {
  if (as === 'operator') return { password: PASSWORD }
  return 'key' in as ? as : { account: as.account, password: PASSWORD }
}
