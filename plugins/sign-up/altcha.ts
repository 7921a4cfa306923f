// The ALTCHA challenge: proof of work for a browser, signed with a key that all gateways share, so that each can check it without storing it.
import { type Challenge, createChallenge, randomInt, type Solution, verifySolution } from 'altcha-lib'
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2'
import { hashKey, type RandomBytes } from '../../src/access/secret.ts'
import { invalidRequest } from '../../src/domain/errors.ts'
import type { Db } from '../../src/store/db.ts'
import { bareColumns, placeholders } from '../../src/store/placeholders.ts'
import { perConnection } from '../../src/store/prepared.ts'
import { sign_up_keys } from './tables.ts'

/**
 * A browser tries about 250 keys of 5,000 rounds: 0.3 s on a desktop, 1 to 2 s on a phone. To make a challenge, the gateway derives one key (2 ms on
 * another thread); to check one, it verifies a signature.
 */
const ALGORITHM = 'PBKDF2/SHA-256'
const ROUNDS = 5_000
const MIN_TRIES = 150
const MAX_TRIES = 350
/** Leaves time to fill in the form. */
export const CHALLENGE_LASTS_MS = 20 * 60_000
/** Keeps challenges of other forms apart that may use the same key one day. */
const FORM = 'sign-up'
const KEY_BYTES = 32
const MAX_CHARS = 4_000

const queries = perConnection({
  first: (orm) => orm.select().from(sign_up_keys).orderBy(sign_up_keys.id).limit(1),
  insert: (orm) =>
    orm
      .insert(sign_up_keys)
      .values({ ...placeholders('secret', 'created_at_ms'), id: 1 })
      .onConflictDoNothing({ target: bareColumns('id') }),
})

/** A solved challenge. The caller counts it once, and remembers it until it expires. */
export interface SolvedChallenge {
  /** The same for every solution of one challenge. */
  id: string
  until_ms: number
}

export interface Altcha {
  /** Creates a challenge. */
  issue(): Promise<Challenge>
  /** @param text JSON of the challenge and its solution @throws GatewayError invalid_request for a wrong or expired one */
  check(text: string | undefined): Promise<SolvedChallenge>
}

interface AltchaParts {
  db: Db
  randomBytes: RandomBytes
  now: () => number
}

export function createAltcha({ db, randomBytes, now }: AltchaParts): Altcha {
  let kept: Promise<Secrets> | undefined
  const secrets = async (): Promise<Secrets> => {
    kept ??= readOrCreateKey(db, randomBytes, now())
    try {
      return await kept
    } catch (thrown) {
      kept = undefined
      throw thrown
    }
  }
  return {
    async issue() {
      return await createChallenge({
        algorithm: ALGORITHM,
        cost: ROUNDS,
        counter: randomInt(MAX_TRIES, MIN_TRIES),
        // Among the signed fields, and by the gateway's clock.
        data: { form: FORM, until_ms: now() + CHALLENGE_LASTS_MS },
        deriveKey,
        ...(await secrets()),
      })
    },
    async check(text) {
      const payload = readPayload(text)
      if (!payload) throw notSolved()
      const { challenge, solution } = payload
      const { form, until_ms } = challenge.parameters.data ?? {}
      if (form !== FORM || typeof until_ms !== 'number') throw notSolved()
      const { verified } = await verifySigned(challenge, solution, await secrets())
      if (!verified || challenge.signature === undefined) throw notSolved()
      if (until_ms <= now()) throw expired()
      return { id: hashKey(challenge.signature).toString('hex'), until_ms }
    },
  }
}

interface Secrets {
  hmacSignatureSecret: string
  hmacKeySignatureSecret: string
}

const verifySigned = (challenge: Challenge, solution: Solution, secrets: Secrets) =>
  verifySolution({ challenge, solution, deriveKey, ...secrets })

/** Returns the key that all gateways share. The first gateway that needs it creates it. */
async function readOrCreateKey(db: Db, randomBytes: RandomBytes, now_ms: number): Promise<Secrets> {
  const find = () => queries(db).first.get()
  let found = await find()
  if (!found) {
    const secret = Buffer.from(randomBytes(KEY_BYTES))
    await db.write((db) => queries(db).insert.run({ secret, created_at_ms: now_ms }))
    found = await find()
  }
  if (!found) throw new Error('the key of challenges is gone')
  const secret = Buffer.from(found.secret).toString('hex')
  return { hmacSignatureSecret: secret, hmacKeySignatureSecret: hashKey(secret).toString('hex') }
}

/** @returns undefined for text of another form */
function readPayload(text: string | undefined): { challenge: Challenge; solution: Solution } | undefined {
  if (text === undefined || text.length > MAX_CHARS) return undefined
  try {
    const { challenge, solution } = JSON.parse(text)
    const is_whole =
      challenge?.parameters?.algorithm === ALGORITHM &&
      challenge.parameters.cost === ROUNDS &&
      typeof challenge.signature === 'string' &&
      Number.isInteger(solution?.counter) &&
      typeof solution.derivedKey === 'string'
    return is_whole ? { challenge, solution } : undefined
  } catch {
    // Not JSON, or without one of the objects.
    return undefined
  }
}

const notSolved = () =>
  invalidRequest('Your browser did not pass the check. Reload the page and try again.', {
    code: 'challenge_failed',
    param: 'solution',
  })
const expired = () =>
  invalidRequest('The page was open for too long. Try again: your browser runs a new check.', {
    code: 'challenge_expired',
    param: 'solution',
  })
