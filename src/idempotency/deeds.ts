// Movements of money by the operator, each once: the same deed sent again, by a double click or after a lost answer, adds no second entry.
import type { Database } from 'bun:sqlite'
import type { Nanos } from '../domain/money.ts'
import type { KeptAnswers, KeyedRequest } from './kept-answers.ts'
import { idempotencyQueries } from './queries.ts'
import { anotherDeed } from './refusals.ts'

/** A movement of money that the operator asks for. */
export interface Deed {
  account_id: number
  /** Chosen by whoever asks for it: another id is another deed. */
  id: string
  kind: 'top_up' | 'withdrawal'
  /** Signed, as in the entry. */
  amount_nanos: Nanos
  note: string
  request_id: string
}

export interface Deeds {
  /**
   * Does a deed, unless it was done in the last 24 hours. Its time is written before its entry and is the time of the
   * entry, which tells whether it was done: after a crash, too.
   *
   * @param move writes the entry, with the time that it is given
   * @returns the outcome; undefined where it was done before. What was refused may be sent again
   * @throws GatewayError unprocessable where the id was another deed's; what `move` throws, after which the same deed may
   * be sent again: it may be done by then
   */
  once<Outcome extends { ok: boolean }>(
    deed: Deed,
    move: (at_ms: number) => Promise<Outcome>,
  ): Promise<Outcome | undefined>
}

/** No Idempotency-Key of a caller begins with a space. */
const KEY_MARK = ' deed '

/** Deeds in the table of Idempotency-Keys, where they stay for 24 hours. */
export function createDeeds(db: Database, answers: Pick<KeptAnswers, 'find' | 'begin' | 'forget'>): Deeds {
  /** The deeds of an account are done one after the other, so that no two of them have one time. */
  const last = new Map<number, Promise<unknown>>()
  const run = runnerOf(db, answers)

  return {
    async once(deed, move) {
      const { account_id } = deed
      const mine = (last.get(account_id) ?? Promise.resolve()).then(() => run(deed, move))
      const settled = mine.catch(() => {
        // Told to whoever asked for it; the next deed goes on all the same.
      })
      last.set(account_id, settled)
      try {
        return await mine
      } finally {
        if (last.get(account_id) === settled) last.delete(account_id)
      }
    },
  }
}

function runnerOf(db: Database, answers: Pick<KeptAnswers, 'find' | 'begin' | 'forget'>): Deeds['once'] {
  const isDone = ({ account_id, kind, amount_nanos }: Deed, created_at_ms: number): boolean =>
    idempotencyQueries(db).entryAt.get({ account_id, kind, amount_nanos, created_at_ms }) !== undefined

  /** @returns the time of a new deed: one at which the account has no entry like it */
  async function begin(deed: Deed, keyed: KeyedRequest): Promise<number> {
    for (;;) {
      // Forgets no older key: which of them are under way is not known here.
      await answers.begin(keyed, () => true)
      const begun = answers.find(keyed)
      if (!begun) throw new Error('a deed that was begun cannot be found')
      if (!isDone(deed, begun.created_at_ms)) return begun.created_at_ms
      await answers.forget(keyed)
      await Bun.sleep(1)
    }
  }

  return async (deed, move) => {
    const keyed = keyedOf(deed)
    const found = answers.find(keyed)
    if (found && !found.request_sha256.equals(keyed.request_sha256)) throw anotherDeed()
    if (found && isDone(deed, found.created_at_ms)) return undefined
    const outcome = await move(found?.created_at_ms ?? (await begin(deed, keyed)))
    if (!outcome.ok) await answers.forget({ ...keyed, request_id: found?.request_id ?? keyed.request_id })
    return outcome
  }
}

function keyedOf({ account_id, id, kind, amount_nanos, note, request_id }: Deed): KeyedRequest {
  const content = JSON.stringify([kind, amount_nanos, note])
  const request_sha256 = Buffer.from(new Bun.CryptoHasher('sha256').update(content).digest())
  return { account_id, key: KEY_MARK + id, request_sha256, request_id }
}
