// Simulated log probabilities of tokens: always the same for the same token, the chosen one first.
import { type JsonObject, numberOf } from '../json.ts'

interface Token {
  readonly token: string
  readonly logprob: number
  readonly bytes: readonly number[]
}

/** @returns null if the request has none */
export function logprobsOf(body: JsonObject, tokens: readonly string[]): JsonObject | null {
  if (body.logprobs !== true) return null
  const others = numberOf(body.top_logprobs) ?? 0
  return {
    content: tokens.map((token) => {
      const chosen = tokenOf(token, likelihood(token))
      return { ...chosen, top_logprobs: ranked(chosen).slice(0, others) }
    }),
    refusal: null,
  }
}

const tokenOf = (token: string, logprob: number): Token => ({
  token,
  logprob,
  bytes: [...Buffer.from(token)],
})

/** Between -0.5 and 0. */
const likelihood = (token: string): number => -(Number(Bun.hash.crc32(token)) % 500) / 1_000

/** The 20 that a request may have at most: the chosen token and variants of it, each less likely than the one before. */
function ranked(chosen: Token): Token[] {
  const others = Array.from({ length: 19 }, (_, at) =>
    tokenOf(`${chosen.token}${at}`, chosen.logprob - at - 1),
  )
  return [chosen, ...others]
}
