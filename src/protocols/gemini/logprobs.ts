// Log probabilities of a candidate's tokens, read and written.
// https://ai.google.dev/api/generate-content#LogprobsResult
import type { TokenChance, TokenLogprob } from '../canonical/answer.ts'
import { type Json, type JsonObject, objectIn, objectsIn, stringIn } from '../wire/json.ts'

const readChance = (value: JsonObject): TokenChance => ({
  token: stringIn(value.token) ?? '',
  logprob: typeof value.logProbability === 'number' ? value.logProbability : 0,
})

/** Reads a candidate's `logprobsResult`; undefined if it has none. */
export function readLogprobs(value: Json | undefined): TokenLogprob[] | undefined {
  const { chosenCandidates, topCandidates } = objectIn(value)
  if (!Array.isArray(chosenCandidates)) return undefined
  const alternatives = objectsIn(topCandidates).map(({ candidates }) => objectsIn(candidates))
  return objectsIn(chosenCandidates).map((chosen, index) => ({
    ...readChance(chosen),
    alternatives: (alternatives[index] ?? []).map(readChance),
  }))
}

const writeChance = ({ token, logprob }: TokenChance): JsonObject => ({ token, logProbability: logprob })

/** Writes a candidate's log probabilities, and their mean. */
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
