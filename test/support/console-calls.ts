// Calls of the console's JSON routes over a socket, signed in as a browser would be.
import { createPasswords, setPassword } from '../../src/access/passwords.ts'
import type { TestGateway } from './gateway.ts'

/** Who calls: the operator, an account by its id and name, a key by its text. */
export type CallingAs = 'operator' | { account: string; account_id: number } | { key: string }

export interface ConsoleAnswer {
  status: number
  /** The body as it came. */
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of many shapes
  body: any
}

/** @param body sent as JSON; without a method it makes the call a POST */
export type ConsoleCall = (path: string, body?: object, method?: string) => Promise<ConsoleAnswer>

const PASSWORD = 'a password for tests'

/** Signs in, and returns how this session calls paths below /console/api. */
export async function consoleCalls(gateway: TestGateway, as: CallingAs): Promise<ConsoleCall> {
  const { origin } = gateway.url
  if (as === 'operator' || 'account' in as) {
    const account_id = as === 'operator' ? null : as.account_id
    setPassword(gateway.db, { account_id, hash: await createPasswords().hash(PASSWORD), now_ms: Date.now() })
  }
  const signed_in = await gateway.call('/console/api/session', credentialsOf(as), { headers: { origin } })
  const [cookie = ''] = signed_in.headers.getSetCookie().map((each) => each.split(';')[0] ?? '')
  if (!signed_in.ok) throw new Error(`the sign-in was answered ${signed_in.status}: ${await signed_in.text()}`)
  return async (path, body, method) => {
    const answer = await gateway.call(`/console/api${path}`, body, {
      headers: { origin, cookie },
      ...(method === undefined ? {} : { method }),
    })
    const text = await answer.text()
    return { status: answer.status, text, body: text === '' ? undefined : JSON.parse(text) }
  }
}

function credentialsOf(as: CallingAs): object {
  if (as === 'operator') return { password: PASSWORD }
  return 'key' in as ? { key: as.key } : { account: as.account, password: PASSWORD }
}
