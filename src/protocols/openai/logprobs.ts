// Log probabilities of a chat completion's tokens, read and written.
import type { TokenChance, TokenLogprob } from '../canonical/answer.ts'
import { type Json, type JsonObject, objectIn, objectsIn, stringIn } from '../wire/json.ts'

const readChance = (value: JsonObject): TokenChance => ({
  token: stringIn(value.token) ?? '',
  logprob: typeof value.logprob === 'number' ? value.logprob : 0,
})

/** Reads a choice's `logprobs`; undefined if it has none. */
export function readLogprobs(value: Json | undefined): TokenLogprob[] | undefined {
  const { content } = objectIn(value)
  if (!Array.isArray(content)) return undefined
  return objectsIn(content).map((entry) => ({
    ...readChance(entry),
    alternatives: objectsIn(entry.top_logprobs).map(readChance),
  }))
}

const writeChance = ({ token, logprob }: TokenChance): JsonObject => ({
  token,
  logprob,
  bytes: [...Buffer.from(token)],
})

/** Writes a choice's `logprobs`. */
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
