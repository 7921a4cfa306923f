// Owns the log probabilities of a chat completion's tokens, both ways.
import type { TokenChance, TokenLogprob } from '../canonical.ts'
import { type Json, type JsonObject, objectIn, objectsIn, stringIn } from '../wire/json.ts'

const readChance = (value: JsonObject): TokenChance => ({
  token: stringIn(value.token) ?? '',
  logprob: typeof value.logprob === 'number' ? value.logprob : 0,
})

/** The tokens of a choice's `logprobs`; undefined where it has none. */
export function readLogprobs(value: Json | undefined): TokenLogprob[] | undefined {
  const { content } = objectIn(value)
  if (!Array.isArray(content)) return undefined
  return objectsIn(content).map((token) => ({
    ...readChance(token),
    alternatives: objectsIn(token.top_logprobs).map(readChance),
  }))
}

const writeChance = ({ token, logprob }: TokenChance): JsonObject => ({
  token,
  logprob,
  bytes: [...Buffer.from(token)],
})

/** A choice's `logprobs`. */
export const writeLogprobs = (tokens: readonly TokenLogprob[] | undefined): Json =>
  tokens === undefined
    ? null
    : {
        content: tokens.map((token) => ({
          ...writeChance(token),
          top_logprobs: token.alternatives.map(writeChance),
        })),
        refusal: null,
      }
