// A gateway that dies at a point: before or after one of its writes, movements of money or requests to the provider. It does nothing from then on.
import type { PaymentParts } from '../../plugins/payments/parts.ts'
import type { PaymentProvider } from '../../src/payment-api.ts'
import type { Db } from '../../src/store/db.ts'

export interface Death {
  /** The count of the effect, from 1. */
  at: number
  /** Before it, or once it was made and its answer is lost. */
  when: 'before' | 'after'
}

export class Killed extends Error {
  override name = 'Killed'
}

interface Mortal {
  parts: PaymentParts
  /** The steps that it made, by name; at the last one it died. */
  did: string[]
  isDead(): boolean
}

/** @param onStep called as each step starts, with its count */
export function mortal(
  parts: PaymentParts,
  death: Death | undefined,
  kill = () => {},
  onStep = (_: number) => {},
): Mortal {
  const did: string[] = []
  let is_dead = false
  const die = (): never => {
    is_dead = true
    kill()
    throw new Killed(`at ${did.join(', ')}`)
  }
  async function effect<T>(name: string, work: () => T | Promise<T>): Promise<T> {
    if (is_dead) throw new Killed('it is dead')
    did.push(name)
    const is_last = did.length === death?.at
    if (is_last && death?.when === 'before') die()
    onStep(did.length)
    const answer = await work()
    if (is_last || is_dead) die()
    return answer
  }
  const { db, ledger } = parts
  const dying: Db = {
    get orm() {
      return db.orm
    },
    by: db.by,
    rows: (text, values) => db.rows(text, values),
    write: (work, writing) => effect('write', () => db.write(work, writing)),
    begin: (work, writing) => effect('begin', () => db.begin(work, writing)),
    snapshot: (work, how) => db.snapshot(work, how),
    close: () => db.close(),
    [Symbol.asyncDispose]: () => db.close(),
  }
  const dyingOf = (provider: PaymentProvider): PaymentProvider => ({
    ...provider,
    start: (order) => effect('start', () => provider.start(order)),
    look: (reference, order) => effect('look', () => provider.look(reference, order)),
    ...(provider.chargeSaved
      ? {
          chargeSaved: (order, may_begin) =>
            effect('charge', async () => {
              const answer = await provider.chargeSaved?.(order, may_begin)
              if (!answer) throw new Error('it charges no card')
              return answer
            }),
        }
      : {}),
    ...(provider.refund
      ? {
          refund: (order, amount_minor, key) =>
            effect('refund', async () => {
              const answer = await provider.refund?.(order, amount_minor, key)
              if (!answer) throw new Error('it gives nothing back')
              return answer
            }),
        }
      : {}),
  })
  return {
    parts: {
      ...parts,
      db: dying,
      ledger: {
        ...ledger,
        submit: ((operation: Parameters<typeof ledger.submit>[0]) =>
          effect('submit', () => ledger.submit(operation))) as typeof ledger.submit,
      },
      providers: () => parts.providers().map(dyingOf),
    },
    did,
    isDead: () => is_dead,
  }
}
