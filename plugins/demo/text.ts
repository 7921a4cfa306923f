// Generated prose about a prompt, its tokens, and seeded random numbers.

export interface Random {
  /** Returns an integer from `min` to `max`, both included. */
  between(min: number, max: number): number
  pick<T>(items: readonly [T, ...T[]]): T
}

/** Creates a generator that returns the same numbers for the same seed, so that equal requests get equal answers. */
export function randomOf(seed: string): Random {
  let state = Number(BigInt.asUintN(32, BigInt(Bun.hash(seed))))
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const between = (min: number, max: number): number => min + Math.floor(next() * (max - min + 1))
  return { between, pick: (items) => items[between(0, items.length - 1)] ?? items[0] }
}

/** Splits a text into about as many tokens as a real model would. Joined they give the text. */
export const tokensOf = (text: string): string[] => text.match(/\s*\S{1,6}|\s+/gu) ?? []

export const countTokens = (text: string): number => tokensOf(text).length

export const hashOf = (text: string): string => Bun.hash(text).toString(36)

const TOKENS_AN_EVENT = 8

/** Joins tokens into the pieces of a stream. */
export const piecesOf = (tokens: readonly string[]): string[] =>
  Array.from({ length: Math.ceil(tokens.length / TOKENS_AN_EVENT) }, (_, at) =>
    tokens.slice(at * TOKENS_AN_EVENT, (at + 1) * TOKENS_AN_EVENT).join(''),
  )

type Words = readonly [string, ...string[]]

const OPENINGS: Words = ['In short,', 'To begin with,', 'Seen closely,', 'Most of all,', 'In practice,']
const SUBJECTS: Words = ['the idea', 'a careful reader', 'the first step', 'the usual answer']
const VERBS: Words = ['depends on', 'leads to', 'explains', 'rests on', 'begins with', 'points at']
const LINKS: Words = ['and therefore', 'because of', 'together with', 'rather than', 'as well as']
const TOPICS: Words = ['the matter', 'the question']

/** Writes whole sentences about a prompt, until they have `min_tokens`. */
export function writeAbout(prompt: string, min_tokens: number, { pick }: Random): string[] {
  const topics = topicsOf(prompt)
  const tokens: string[] = []
  while (tokens.length < min_tokens) {
    const [opening, subject, verb, link] = [pick(OPENINGS), pick(SUBJECTS), pick(VERBS), pick(LINKS)]
    const sentence = `${opening} ${subject} ${verb} ${pick(topics)} ${link} ${pick(topics)}.`
    tokens.push(...tokensOf(tokens.length === 0 ? sentence : ` ${sentence}`))
  }
  return tokens
}

/** Returns the long words at the end of a prompt. */
function topicsOf(prompt: string): Words {
  const [first, ...rest] = prompt.slice(-4_000).match(/\p{L}{5,}/gu) ?? []
  return first === undefined ? TOPICS : [first, ...rest]
}
