// Password hashes with the minimum cost of argon2id in every test process. A hash contains the cost of its check.
import { afterAll, beforeAll } from 'bun:test'

export const CHEAP = { algorithm: 'argon2id', memoryCost: 8, timeCost: 1 } as const

const { hash } = Bun.password
let is_cheap = true

const hashCheaply: typeof hash = (password, options) =>
  hash(
    password,
    is_cheap && typeof options === 'object' && options.algorithm === 'argon2id' ? CHEAP : options,
  )

Object.assign(Bun.password, { hash: hashCheaply })

/** Restores the full cost of passwords for all tests of a file, which test that cost. */
export function useFullPasswordCost(): void {
  beforeAll(() => {
    is_cheap = false
  })
  afterAll(() => {
    is_cheap = true
  })
}
