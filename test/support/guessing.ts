// Console sign-ins from chosen client addresses, through a trusted proxy.

import { setPassword } from '../../src/access/passwords.ts'
import { makeOperatorsLink } from '../../src/access/sign-in-links.ts'
import type { Db } from '../../src/store/db.ts'
import { CHEAP } from './cheap-passwords.ts'
import { PROBES } from './console-session.ts'
import { personAtConsole } from './people.ts'

/** The catalogue's setting that makes the gateway read their addresses from a header. */
export const BEHIND_PROXY = 'trusted_proxies = ["127.0.0.1"]'
const RIGHT_PASSWORD = 'correct horse battery'

/** Stores the operator's password with a cheap hash, for tests that count checks of it. */
export async function makeGuessesCheap(db: Db): Promise<void> {
  const hash = await Bun.password.hash(RIGHT_PASSWORD, CHEAP)
  await setPassword(db, { person_id: await personAtConsole(db, null), hash, now_ms: Date.now() })
}

const randomBytes = (count: number) => crypto.getRandomValues(new Uint8Array(count))

/** The token of an operator's link, for `signInByLink`. */
export const operatorsLink = async (db: Db): Promise<string> =>
  (await makeOperatorsLink(db, { randomBytes, now_ms: Date.now() })).token

/** A person who signs in from an address. */
export function visitor(url: URL, address: string) {
  const send = async (path: string, body: object) => {
    const answer = await fetch(new URL(`/console/api${path}`, url), {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        cookie: PROBES,
        origin: url.origin,
        'x-forwarded-for': address,
      },
      body: JSON.stringify(body),
    })
    await answer.text()
    return answer.status
  }
  return {
    /** @param account default: the operator @returns the status */
    signIn: (password = RIGHT_PASSWORD, account?: string) =>
      send('/session', { password, ...(account === undefined ? {} : { account }) }),
    signInByLink: (token: string) => send('/links/accept', { token, password: RIGHT_PASSWORD }),
  }
}

/**
 * Guesses the operator's password from a number of addresses, several times from each.
 * @returns the number of guesses that were checked; the others were refused
 */
export async function guess(url: URL, addresses: number, times: number): Promise<number> {
  let checked = 0
  const stranger = async (index: number) => {
    const { signIn } = visitor(url, `198.51.${100 + (index >> 8)}.${index & 255}`)
    for (let i = 0; i < times; i++) if ((await signIn(`not the password ${i}`)) === 401) checked++
  }
  await Promise.all(Array.from({ length: addresses }, (_, index) => stranger(index)))
  return checked
}
