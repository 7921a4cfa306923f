// Password hashes with the minimum cost of argon2id in every test process. A hash contains the cost of its check.
import { afterAll, beforeAll } from 'bun:test'

export const CHEAP = { algorithm: 'argon2id', memoryCost: 8, timeCost: 1 } as const

const { hash } = Bun.password
let is_cheap = true

const hashCheaply: typeof hash = (password, how) =>
  hash(password, is_cheap && typeof how === 'object' && how.algorithm === 'argon2id' ? CHEAP : how)

Object.assign(Bun.password, { hash: hashCheaply })

/** Lets the passwords of a file's tests cost what they do outside of tests: where the cost is what is tested. */
export function passwordsAtFullCost(): void {
  beforeAll(() => {
    is_cheap = false
  })
  afterAll(() => {
    is_cheap = true
  })
}
