// The log probabilities of a chat completion's tokens, read and written.
import type { TokenChance, TokenLogprob } from '../canonical/answer.ts'
import {
  eachUncheckedIn,
  Fields,
  List,
  optional,
  Quantity,
  Text,
  type Unchecked,
  uncheckedIn,
} from '../forms.ts'
import type { Json, JsonObject } from '../wire/json.ts'
import { stringIn } from '../wire/json.ts'

export const TopToken = Fields({ token: Text, logprob: Quantity })
export const TokenEntry = Fields({ ...TopToken.properties, top_logprobs: optional(List(TopToken)) })
export const Logprobs = Fields({ content: optional(List(TokenEntry)) })

const readChance = (value: Unchecked<typeof TopToken>): TokenChance => ({
  token: stringIn(value.token) ?? '',
  logprob: typeof value.logprob === 'number' ? value.logprob : 0,
})

/** The tokens of a choice's `logprobs`; undefined where it has none. */
export function readLogprobs(value: Json | undefined): TokenLogprob[] | undefined {
  const { content } = uncheckedIn<typeof Logprobs>(value)
  if (!Array.isArray(content)) return undefined
  return eachUncheckedIn<typeof TokenEntry>(content).map((entry) => ({
    ...readChance(entry),
    alternatives: eachUncheckedIn<typeof TopToken>(entry.top_logprobs).map(readChance),
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
