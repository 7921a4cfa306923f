// Owns the log probabilities of a candidate's tokens, both ways.
// https://ai.google.dev/api/generate-content#LogprobsResult
import type { TokenChance, TokenLogprob } from '../canonical.ts'
import { type Json, type JsonObject, objectIn, objectsIn, stringIn } from '../wire/json.ts'

const readChance = (value: JsonObject): TokenChance => ({
  token: stringIn(value.token) ?? '',
  logprob: typeof value.logProbability === 'number' ? value.logProbability : 0,
})

/** The tokens of a candidate's `logprobsResult`; undefined where it has none. */
export function readLogprobs(value: Json | undefined): TokenLogprob[] | undefined {
  const result = objectIn(value)
  if (!Array.isArray(result.chosenCandidates)) return undefined
  const alternatives = objectsIn(result.topCandidates).map(({ candidates }) => objectsIn(candidates))
  return objectsIn(result.chosenCandidates).map((chosen, index) => ({
    ...readChance(chosen),
    alternatives: (alternatives[index] ?? []).map(readChance),
  }))
}

const writeChance = ({ token, logprob }: TokenChance): JsonObject => ({ token, logProbability: logprob })

/** The fields of a candidate that tell its log probabilities, with their mean. */
export function writeLogprobs(tokens: readonly TokenLogprob[] | undefined): JsonObject {
  if (!tokens || tokens.length === 0) return {}
  return {
    avgLogprobs: tokens.reduce((sum, { logprob }) => sum + logprob, 0) / tokens.length,
    logprobsResult: {
      chosenCandidates: tokens.map(writeChance),
      topCandidates: tokens.map(({ alternatives }) => ({ candidates: alternatives.map(writeChance) })),
    },
  }
}
