// Console sign-ins from chosen client addresses, through a trusted proxy.

import { setPassword } from '../../src/access/passwords.ts'
import { makeOperatorsLink } from '../../src/access/sign-in-links.ts'
import type { Db } from '../../src/store/db.ts'
import { CHEAP } from './cheap-passwords.ts'
import { PROBES } from './console-session.ts'
import { personAtConsole } from './people.ts'

/** The catalogue's setting by which they have addresses. */
export const BEHIND_PROXY = 'trusted_proxies = ["127.0.0.1"]'
const RIGHT_PASSWORD = 'correct horse battery'

/** Stores the operator's password anew, so that checks of it take next to no time: for tests that count them. */
export async function makeGuessesCheap(db: Db): Promise<void> {
  const hash = await Bun.password.hash(RIGHT_PASSWORD, CHEAP)
  await setPassword(db, { person_id: await personAtConsole(db, null), hash, now_ms: Date.now() })
}

const randomBytes = (count: number) => crypto.getRandomValues(new Uint8Array(count))

/** A link of the operator's, for `signInByLink`. */
export const operatorsLink = async (db: Db): Promise<string> =>
  (await makeOperatorsLink(db, { randomBytes, now_ms: Date.now() })).token

/** Somebody at an address. */
export function person(url: URL, address: string) {
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
    /** @param account the operator where absent @returns the status */
    signIn: (password = RIGHT_PASSWORD, account?: string) =>
      send('/session', { password, ...(account === undefined ? {} : { account }) }),
    signInByLink: (token: string) => send('/links/accept', { token, password: RIGHT_PASSWORD }),
  }
}

/**
 * Strangers guess the operator's password, from as many addresses, so often each.
 *
 * @returns how many guesses were judged: the others were refused
 */
export async function guess(url: URL, addresses: number, times: number): Promise<number> {
  let judged = 0
  const stranger = async (index: number) => {
    const { signIn } = person(url, `198.51.${100 + (index >> 8)}.${index & 255}`)
    for (let i = 0; i < times; i++) if ((await signIn(`not the password ${i}`)) === 401) judged++
  }
  await Promise.all(Array.from({ length: addresses }, (_, index) => stranger(index)))
  return judged
}
